/** A share as `98.6%`, rounded down, but not to 0%; `–` if the whole is 0. */
export function share(part: number, whole: number): string {
  if (whole === 0) return '–';
  if (part >= whole) return '100%';
  if (part === 0) return '0%';
  const digits = part > 0.99 * whole ? 2 : 1;
  const steps = 10 ** digits;
  return `${(Math.max(1, Math.floor((100 * steps * part) / whole)) / steps).toFixed(digits)}%`;
}
