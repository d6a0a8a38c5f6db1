const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/** `12,345` */
export function count(value: number): string {
  return WHOLE.format(value);
}

/** `1 user`, `1,204 events` */
export function many(n: number, thing: string): string {
  return `${count(n)} ${thing}${n === 1 ? '' : 's'}`;
}

/** A duration: `412 ms`, `4.1 s`, `2 min`, `3.5 h`; `–` if it is not known. */
export function duration(ms: number | null): string {
  if (ms === null) return '–';
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${trim(ms / 1_000)} s`;
  if (ms < 3_600_000) return `${trim(ms / 60_000)} min`;
  if (ms < 86_400_000) return `${trim(ms / 3_600_000)} h`;
  return `${trim(ms / 86_400_000)} d`;
}

/** A duration, to the millisecond: `10 min 35 s`, `2.5 s`. */
export function exactly(ms: number): string {
  const parts: string[] = [];
  let left = ms;
  for (const [unit, size] of UNITS) {
    const many = unit === 's' ? left / size : Math.floor(left / size);
    left -= many * size;
    if (many > 0) parts.push(`${many} ${unit}`);
  }
  return parts.join(' ') || '0 s';
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** A size: `412 bytes`, `4.1 kB`, `104 MB`. */
export function bytes(size: number): string {
  if (size < 1_000) return `${size} ${size === 1 ? 'byte' : 'bytes'}`;
  if (size < 1_000_000) return `${trim(size / 1_000)} kB`;
  return size < 1_000_000_000 ? `${trim(size / 1_000_000)} MB` : `${trim(size / 1_000_000_000)} GB`;
}

/** A rate: `0.4/s`, `5,000/s`. */
export function perSecond(rate: number): string {
  return `${rate < 10 && rate > 0 ? trim(rate) : count(rate)}/s`;
}

function trim(value: number): string {
  return value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(2)));
}
