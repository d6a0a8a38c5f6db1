/** The React key of a part that is identified only by its position, as in a sentence or a plan, which are always replaced whole. */
export function place(i: number): string {
  return `part-${i}`;
}
