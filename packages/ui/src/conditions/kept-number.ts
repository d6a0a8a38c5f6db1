/**
 * Whether a number that is written out stays what it is: not beyond all numbers, where it would be no JSON; not a whole one
 * beyond 2^53 that becomes its neighbour; not one so small that it becomes 0. Fractions are rounded.
 */
export function isKept(text: string): boolean {
  const value = Number(text);
  if (!Number.isFinite(value)) return false;
  const [, whole] = /^([+-]?\d+)(?:\.0*)?$/.exec(text) ?? [];
  // Beyond 2^53 some are written with other digits than they have.
  if (whole !== undefined) return BigInt(whole) === BigInt(value) || whole === String(value);
  return value !== 0 || !/^[^e]*[1-9]/i.test(text);
}
