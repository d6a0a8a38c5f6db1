/** Why no filter and no condition can name this event, as words that follow the name; null where they can. */
export function nameFlaw(name: string): string | null {
  const bare = name.trim();
  if (bare === '') return 'must not be blank';
  return bare === name ? null : 'must not begin or end with a space: names are compared as they are';
}
