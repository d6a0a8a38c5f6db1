import { isIP } from 'node:net';
import { durationWithin, formatDuration } from './core/duration.ts';

/** The type of a setting's value: its limits, how to parse it and how to format it. */
export interface Kind<T> {
  readonly type: 'string' | 'port' | 'boolean' | 'duration' | 'enum' | 'integer' | 'size' | 'addresses' | 'url';
  /** The limits, in words that follow "must be". */
  readonly limits: string;
  /** Undefined if the text is not allowed. */
  parse(text: string): T | undefined;
  format(value: T): string;
}

export function text(limits: string, pattern: RegExp): Kind<string> {
  return { type: 'string', limits, parse: (value) => (pattern.test(value) ? value : undefined), format: String };
}

export function integer(min: number, max: number, type: 'integer' | 'port' = 'integer'): Kind<number> {
  return {
    type,
    limits: `a whole number from ${min} to ${max}`,
    parse: (value) => (/^\d{1,15}$/.test(value) ? within(Number(value), min, max) : undefined),
    format: String,
  };
}

/** Milliseconds; written as `500ms`, `5s`, `10m`, `4h`, `7d`. */
export function duration(min: string, max: string): Kind<number> {
  return {
    type: 'duration',
    limits: `a duration from ${min} to ${max}, written like 500ms, 5s, 10m, 4h or 7d`,
    parse: (value) => durationWithin(value, min, max),
    format: formatDuration,
  };
}

export const flag: Kind<boolean> = {
  type: 'boolean',
  limits: 'true or false',
  parse: (value) =>
    new Map([
      ['true', true],
      ['1', true],
      ['false', false],
      ['0', false],
    ]).get(value),
  format: String,
};

export function oneOf<const T extends string>(values: readonly T[]): Kind<T> {
  return {
    type: 'enum',
    limits: `one of ${values.join(', ')}`,
    parse: (value) => values.find((known) => known === value),
    format: String,
  };
}

export const addresses: Kind<readonly string[]> = {
  type: 'addresses',
  limits: 'IP addresses or networks separated by commas, like 10.0.0.0/8,::1',
  parse(value) {
    const list = value.split(',').map((item) => item.trim());
    return list.every(isNetwork) ? Object.freeze(list) : undefined;
  },
  format: (list) => list.join(','),
};

const KEY_BYTES = 32;

/** 32 bytes each. */
export const keys: Kind<readonly Buffer[]> = {
  type: 'string',
  limits: `keys of ${KEY_BYTES} random bytes in base64, separated by commas (\`openssl rand -base64 ${KEY_BYTES}\` makes one)`,
  parse(value) {
    const list = value.split(',').map((item) => item.trim());
    const isKey = (text: string): boolean =>
      /^[\w+/-]{43}=?$/.test(text) && Buffer.from(text, 'base64').length === KEY_BYTES;
    return list.every(isKey) ? Object.freeze(list.map((text) => Buffer.from(text, 'base64'))) : undefined;
  },
  format: (list) => list.map((key) => key.toString('base64')).join(','),
};

/** A value that may be left out; then it is null. */
export function optional<T>(kind: Kind<T>): Kind<T | null> {
  return { ...kind, format: (value) => (value === null ? '' : kind.format(value)) };
}

/** One URL, or several separated by commas. Only their form is checked here; the rest is checked when connecting. */
export function urls(limits: string, protocols: readonly string[], most: 'one' | 'several'): Kind<string> {
  const isUrl = (text: string): boolean => {
    const url = URL.parse(text);
    // A PostgreSQL URL for a Unix socket has no host.
    return (
      url !== null &&
      protocols.includes(url.protocol) &&
      (url.host !== '' || url.pathname.length > 1 || url.searchParams.has('host'))
    );
  };
  return {
    type: 'url',
    limits,
    parse: (value) =>
      (most === 'one' ? [value] : value.split(',')).every((url) => isUrl(url.trim())) ? value : undefined,
    format: String,
  };
}

const UNITS: readonly string[] = ['KiB', 'MiB', 'GiB', 'TiB'];

/** Bytes; written as `512MiB`, `20GiB`, `1TiB`. */
export function size(min: string): Kind<number> {
  const least = parseSize(min) ?? 0;
  return {
    type: 'size',
    limits: `a size of at least ${min}, written like 512MiB, 20GiB or 1TiB`,
    parse: (value) => within(parseSize(value), least, Number.MAX_SAFE_INTEGER),
    format(value) {
      const power = UNITS.findLastIndex((_, i) => value % 1024 ** (i + 1) === 0);
      return `${value / 1024 ** (power + 1)}${UNITS[power]}`;
    },
  };
}

function parseSize(text: string): number | undefined {
  const [, digits, unit = ''] = /^(\d{1,12})([KMGT]iB)$/.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits) * 1024 ** (UNITS.indexOf(unit) + 1);
}

function within(value: number | undefined, min: number, max: number): number | undefined {
  return value !== undefined && value >= min && value <= max ? value : undefined;
}

function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
}
