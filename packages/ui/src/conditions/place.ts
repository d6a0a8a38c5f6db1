/** The key of what has nothing but its place to be told apart by: the parts of a sentence or of a plan, which are replaced whole. */
export function place(i: number): string {
  return `part-${i}`;
}
