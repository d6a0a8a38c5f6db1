import { randomBytes } from 'node:crypto';
import { BoundedMap } from '../core/bounded-map.ts';
import type { FaultCode } from '../core/fault.ts';
import { addedUp, groupId, MOST_GROUPS, type RejectionGroup, type UnknownKey } from '../core/rejection.ts';

/** One refused call or request, for people to see. */
export interface Refusal {
  /** The same id on every node. */
  readonly id: string;
  /** Null where the write key names no source. */
  readonly sourceId: string | null;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly code: FaultCode;
  readonly message: string;
  /** The first 1 KiB of the refused text. */
  readonly part: string;
}

export interface Rejection extends Refusal {
  /** Grows by one with each refusal that this process knows. */
  readonly number: number;
  /** Whether this process refused it; otherwise another node did. */
  readonly isOwn: boolean;
}

const KEPT = 100;
const PART_BYTES = 1024;

const MAX_MESSAGE = 300;
const MAX_ADDRESS = 64;
const MAX_AGENT = 200;

/**
 * The latest refusals: counts of each source, its last 100 with the refused part, and the groups that the store does not have yet
 * (`take`). Bounded: about 100 KiB for a source with many refusals. A refused request waits for nothing else. While this process
 * does not hear which users other nodes delete, it keeps no part.
 */
export class Rejections {
  readonly #hears: () => boolean;
  /** Ids that this process gives begin with this. */
  readonly #process = randomBytes(6).toString('base64url');
  readonly #sources = new Map<string, OfSource>();
  /** Refusals of all sources, oldest first. */
  #latest: Rejection[] = [];
  #count = 0;
  /** Groups by their source, then by their id. */
  #groups = new Map<string | null, Map<string, RejectionGroup>>();
  /** The groups that were taken last, and what is left of each: erasing reaches them while they are being written. */
  #taken = new Map<RejectionGroup, RejectionGroup>();

  /** `hears`: whether this process hears which users are deleted. */
  constructor(hears: () => boolean = () => true) {
    this.#hears = hears;
  }

  add(sourceId: string, at: number, code: FaultCode, why: string, text: string): void {
    const part = cut(text);
    // The message may quote a header of the request.
    const message = copied(why, MAX_MESSAGE);
    this.#ofSource(sourceId).count++;
    this.#refused({ sourceId, at, code, message, part });
    this.#group({ ...NO_KEY, sourceId, code, message, example: part, count: 1, firstAt: at, lastAt: at });
  }

  unknownKey({ at, code, message, writeKey, ...sender }: UnknownKey): void {
    const key = copied(writeKey.length > 8 ? `••••${writeKey.slice(-4)}` : writeKey === '' ? '' : '••••', PART_BYTES);
    const address = copied(sender.address, MAX_ADDRESS);
    const userAgent = copied(sender.userAgent, MAX_AGENT);
    this.#refused({ sourceId: null, at, code, message, part: '' });
    const times = { count: 1, firstAt: at, lastAt: at };
    this.#group({ sourceId: null, code, message, key, address, userAgent, example: '', ...times });
  }

  /** Another node has refused this: it is shown here and counted there. */
  told(refusal: Refusal): void {
    this.#note(refusal, false);
  }

  /** The refusals after this number, oldest first: at most the last 100. */
  after(number: number): readonly Rejection[] {
    this.#listen();
    return number >= this.#count ? [] : this.#latest.filter((rejection) => rejection.number > number);
  }

  /** The groups that were counted since the last call. Before the next call: `putBack` or `erased`. */
  take(): readonly RejectionGroup[] {
    this.#listen();
    const groups = this.#counted();
    this.#groups = new Map();
    this.#taken = new Map(groups.map((group) => [group, group]));
    return groups;
  }

  /** Adds back what was taken last, if the store did not take it: without the examples that were erased since. */
  putBack(): void {
    this.#listen();
    const since = this.#counted();
    this.#groups = new Map();
    for (const group of [...this.#taken.values(), ...since]) this.#group(group);
  }

  /** Those of the groups taken last whose examples were erased since. */
  erased(): readonly RejectionGroup[] {
    this.#listen();
    return [...this.#taken].flatMap(([group, left]) => (left === group ? [] : [left]));
  }

  #counted(): readonly RejectionGroup[] {
    return [...this.#groups.values()].flatMap((groups) => [...groups.values()]);
  }

  /** How many calls of a source this process has refused. */
  count(sourceId: string): number {
    return this.#sources.get(sourceId)?.count ?? 0;
  }

  /** The last refusals of a source on all nodes, newest first. */
  recent(sourceId: string): readonly Rejection[] {
    this.#listen();
    return this.#sources.get(sourceId)?.last.toReversed() ?? [];
  }

  /** Removes the parts in which one of these texts stands whole, as a value or a key of JSON. */
  erase(texts: ReadonlySet<string>): void {
    this.#erase((part) => holds(part, texts));
  }

  /** Removes all parts. */
  eraseAll(): void {
    this.#erase((part) => part !== '');
  }

  #listen(): void {
    if (!this.#hears()) this.eraseAll();
  }

  #erase(isErased: (part: string) => boolean): void {
    const without = (rejection: Rejection): Rejection =>
      isErased(rejection.part) ? { ...rejection, part: '' } : rejection;
    for (const { last } of this.#sources.values()) {
      for (const [i, rejection] of last.entries()) last[i] = without(rejection);
    }
    this.#latest = this.#latest.map(without);
    for (const groups of this.#groups.values()) {
      for (const [id, group] of groups) if (isErased(group.example)) groups.set(id, { ...group, example: '' });
    }
    for (const [group, left] of this.#taken) {
      if (isErased(left.example)) this.#taken.set(group, { ...left, example: '' });
    }
  }

  /** Forgets every source for which `exists` answers false. */
  retain(exists: (sourceId: string) => boolean): void {
    for (const sourceId of this.#sources.keys()) if (!exists(sourceId)) this.#sources.delete(sourceId);
    this.#latest = this.#latest.filter(({ sourceId }) => sourceId === null || exists(sourceId));
    for (const sourceId of this.#groups.keys()) {
      if (sourceId !== null && !exists(sourceId)) this.#groups.delete(sourceId);
    }
  }

  #refused(refusal: Omit<Refusal, 'id'>): void {
    this.#note({ ...refusal, id: `${this.#process}-${this.#count + 1}` }, true);
  }

  #note(refusal: Refusal, isOwn: boolean): void {
    const rejection = { ...refusal, isOwn, number: ++this.#count };
    this.#latest.push(rejection);
    if (this.#latest.length > KEPT) this.#latest.shift();
    if (refusal.sourceId === null) return;
    const { last } = this.#ofSource(refusal.sourceId);
    last.push(rejection);
    if (last.length > KEPT) last.shift();
  }

  #ofSource(sourceId: string): OfSource {
    const known = this.#sources.get(sourceId) ?? { count: 0, last: [] };
    this.#sources.set(sourceId, known);
    return known;
  }

  #group(group: RejectionGroup): void {
    // Beyond the bound the group seen longest ago goes.
    const groups = this.#groups.get(group.sourceId) ?? new BoundedMap<string, RejectionGroup>(MOST_GROUPS);
    this.#groups.set(group.sourceId, groups);
    const id = groupId(group);
    groups.set(id, addedUp(groups.get(id), group));
  }
}

const NO_KEY = { key: null, address: null, userAgent: null };

interface OfSource {
  count: number;
  /** Oldest first. */
  readonly last: Rejection[];
}

/**
 * A part may be cut, or be no JSON (a form, JSON within a string). So its words, strings and numbers are compared one by one; the
 * last may be only the beginning of one.
 */
export function holds(part: string, texts: ReadonlySet<string>): boolean {
  if (wordsOf(part).some((word) => texts.has(word))) return true;
  for (const [token] of part.matchAll(/"(?:[^"\\]|\\.)*"?|-?\d+(?:\.\d+)?/g)) {
    const whole = !token.startsWith('"') || (token.length > 1 && token.endsWith('"'));
    const text = unescaped(whole ? token : `${token}"`);
    if (text === null) continue;
    if (texts.has(text)) return true;
    if (!whole && text !== '' && [...texts].some((each) => each.startsWith(text))) return true;
  }
  return false;
}

function wordsOf(part: string): string[] {
  return part
    .split(/[\s"'`\\=&,;:{}[\]()<>]+/)
    .flatMap((word) => (/[%+]/.test(word) ? [word, formDecoded(word)] : [word]));
}

/** The word as a form value (`a%40b.c`). */
function formDecoded(word: string): string {
  return new URLSearchParams(`v=${word}`).get('v') ?? word;
}

function unescaped(token: string): string | null {
  try {
    return String(JSON.parse(token));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function cut(part: string): string {
  return copied(part, PART_BYTES);
}

/** A copy: a slice of a string keeps the whole request in memory. */
function copied(text: string, most: number): string {
  const bytes = Buffer.from(text.slice(0, most), 'utf8');
  return bytes.toString('utf8', 0, most).replace(/\uFFFD+$/, '');
}
