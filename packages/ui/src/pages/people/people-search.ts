/** What people are looked for by: `plan = pro` is a trait with its value, all else the beginning of an id or a name. */
export function peopleQuery(text: string): { prefix: string } | { trait: string; value: string } {
  const [, trait, value] = /^\s*([^=]*[^=\s])\s*=\s*([^=\s].*?)\s*$/s.exec(text) ?? [];
  return trait === undefined || value === undefined ? { prefix: text } : { trait: trait.trim(), value };
}
