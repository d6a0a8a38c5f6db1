import { counted, type Paint, printable } from './paint.ts';
import type { Arrival } from './receiver.ts';
import type { Verdict } from './verify.ts';

const MARKS: Readonly<Record<Verdict['check'], string>> = {
  verified: '✔ verified',
  wrong: '✘ wrong signature',
  missing: '✘ not signed',
  old: '✘ too old',
  unchecked: '- not checked',
};

/** One line: signature, time of arrival, type, event, user, time since acceptance, and the status if it is a bad one. */
export function arrivalLine(arrival: Arrival, again: boolean, paint: Paint): string {
  const { signature, message, status, at } = arrival;
  const type = message['type'];
  const words = [
    MARKS[signature.check].padEnd(MARKS.verified.length),
    new Date(at).toISOString().slice(11, 23),
    field(typeof type === 'string' ? type : '?', 8),
    field(subject(message), 30),
    field(user(message), 16),
  ];
  const took = latency(arrival);
  if (took !== null) words.push(`${took} ms`.padStart(8));
  // Left out for a single shared secret: nothing else could have fitted.
  if (signature.check === 'verified' && signature.by !== 'X-Signature') words.push(`by ${signature.by}`);
  if (again) words.push('again');
  if (status < 200 || status > 299) words.push(`→ ${status}`);
  const line = words.join('  ').trimEnd();
  if (isBad(signature)) return paint.bad(line);
  if (status < 200 || status > 299) return paint.warn(line);
  return signature.check === 'verified' ? line.replace('✔', paint.good('✔')) : line;
}

/** Milliseconds from acceptance to arrival; null if the message has no time of acceptance. */
function latency({ at, message }: Arrival): number | null {
  const receivedAt = Date.parse(String(message['receivedAt']));
  return Number.isNaN(receivedAt) ? null : Math.max(0, at - receivedAt);
}

/** Counts arrivals. It may run for weeks, so what it keeps of single messages is bounded. */
export class Tally {
  arrivals = 0;
  bad = 0;
  verified = 0;
  again = 0;
  refused = 0;
  #measured = 0;
  readonly #latencies: number[] = [];
  readonly #seen = new Set<string>();

  /** Answers whether this message has arrived before. */
  add(arrival: Arrival): boolean {
    const { signature, status, message } = arrival;
    this.arrivals += 1;
    if (signature.check === 'verified') this.verified += 1;
    if (isBad(signature)) this.bad += 1;
    if (status < 200 || status > 299) this.refused += 1;
    const took = latency(arrival);
    if (took !== null) this.#latencies[this.#measured++ % KEPT] = took;
    if (typeof message['messageId'] !== 'string') return false;
    // Messages of different users may have the same messageId.
    const id = `${message['messageId']} ${user(message)}`;
    if (this.#seen.has(id)) {
      this.again += 1;
      return true;
    }
    this.#seen.add(id);
    if (this.#seen.size > KEPT) for (const oldest of this.#seen.values().take(1)) this.#seen.delete(oldest);
    return false;
  }

  /** Number of different messages. */
  get messages(): number {
    return this.arrivals - this.again;
  }

  /** `12 requests arrived: 12 verified; 3 refused on request; p50 4 ms, p99 9 ms` */
  summary(): string {
    const parts = [`${counted(this.arrivals, 'request')} arrived: ${this.verified} verified`];
    if (this.bad > 0) parts.push(`${this.bad} with a wrong or missing signature`);
    if (this.again > 0) parts.push(`${this.again} again`);
    if (this.refused > 0) parts.push(`${this.refused} refused on request`);
    const sorted = this.#latencies.toSorted((a, b) => a - b);
    const at = (rank: number): string => `${sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * rank))]} ms`;
    if (sorted.length > 0) parts.push(`accepted → arrived p50 ${at(0.5)}, p99 ${at(0.99)}`);
    return parts.join('; ');
  }
}

function isBad({ check }: Verdict): boolean {
  return check !== 'verified' && check !== 'unchecked';
}

const KEPT = 10_000;

/** The subject of a message: which field that is depends on its type. */
function subject(message: Arrival['message']): string {
  switch (message['type']) {
    case 'track':
      return String(message['event']);
    case 'group':
      return String(message['groupId']);
    case 'alias':
      return `from ${String(message['Previous ID'])}`;
    case 'identify':
      return String(inside(message['traits'], 'email') ?? '');
    case 'page':
    case 'screen':
      return String(message['name'] ?? inside(message['properties'], 'path') ?? '');
    default:
      return '';
  }
}

function user(message: Arrival['message']): string {
  return String(message['userId'] ?? message['User ID'] ?? message['anonymousId'] ?? '');
}

function inside(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function field(text: string, width: number): string {
  const shown = printable(text);
  return (shown.length > width ? `${shown.slice(0, width - 1)}…` : shown).padEnd(width);
}
