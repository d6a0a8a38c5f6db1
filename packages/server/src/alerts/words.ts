const UNITS = [
  ['day', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** A duration in words: `45 s`, `4 min`, `1 h 12 min`, `13 days`. */
export function span(ms: number): string {
  const place = UNITS.findIndex(([, size]) => ms >= size);
  if (place === -1) return '0 s';
  const [[unit, size], lower] = [UNITS[place] ?? UNITS[3], UNITS[place + 1]];
  const whole = Math.floor(ms / size);
  const name = unit === 'day' && whole > 1 ? 'days' : unit;
  // The smaller unit is shown only for a few hours; beyond that it adds nothing.
  const rest = lower && unit === 'h' && whole < 10 ? Math.floor((ms % size) / lower[1]) : 0;
  return rest > 0 && lower ? `${whole} ${name} ${rest} ${lower[0]}` : `${whole} ${name}`;
}

export function whole(value: number): string {
  return value.toLocaleString('en');
}

export function messages(count: number): string {
  return `${whole(count)} ${count === 1 ? 'message' : 'messages'}`;
}

/** `2026-11-20 14:02:11 UTC` */
export function utc(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
