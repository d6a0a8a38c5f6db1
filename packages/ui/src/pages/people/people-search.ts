/** The query for a searched text: `plan = pro` is a trait with its value; any other text is the beginning of an id or a name. */
export function peopleQuery(text: string): { prefix: string } | { trait: string; value: string } {
  const [, trait, value] = /^\s*([^=]*[^=\s])\s*=\s*([^=\s].*?)\s*$/s.exec(text) ?? [];
  return trait === undefined || value === undefined ? { prefix: text } : { trait: trait.trim(), value };
}
