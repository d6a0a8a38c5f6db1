/**
 * Whether a number keeps its value when it is written as JSON. False for a number too large for JavaScript, for an
 * integer beyond 2^53 that would be rounded, and for one so small that it becomes 0. Fractions may be rounded.
 */
export function isKept(text: string): boolean {
  const value = Number(text);
  if (!Number.isFinite(value)) return false;
  const [, whole] = /^([+-]?\d+)(?:\.0*)?$/.exec(text) ?? [];
  // Beyond 2^53 JavaScript may write an integer with other digits than its exact value.
  if (whole !== undefined) return BigInt(whole) === BigInt(value) || whole === String(value);
  return value !== 0 || !/^[^e]*[1-9]/i.test(text);
}
