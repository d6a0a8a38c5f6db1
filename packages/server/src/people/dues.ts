/** When definitions are to be decided anew of one person: times by the numbers a store has for the definitions. */
export type Dues = Map<number, number>;

/** Reads what `writeDues` wrote: number and time in turn. */
export function readDues(json: string): Dues {
  const flat = JSON.parse(json) as readonly number[];
  const dues: Dues = new Map();
  for (let i = 0; i + 1 < flat.length; i += 2) dues.set(flat[i] ?? 0, flat[i + 1] ?? 0);
  return dues;
}

export function writeDues(dues: Dues): string {
  return JSON.stringify([...dues].flat());
}
