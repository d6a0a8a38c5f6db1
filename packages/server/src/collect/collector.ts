import type { Clock } from '../core/clock.ts';
import type { NewEvent } from '../core/event.ts';
import { Fault, type FaultCode, isOutage } from '../core/fault.ts';
import { isObject } from '../core/json.ts';
import type { UnknownKey } from '../core/rejection.ts';
import type { Source } from '../core/source.ts';
import { weightOf } from '../core/weight.ts';
import type { Admission } from './admission.ts';
import { mostBytes, parseJson, readBody, tooLarge } from './body.ts';
import { partOf, type RejectedCall, type RequestFacts, type Suppressed } from './calls.ts';
import { isBatch, type ReadEvents, readEvents } from './events.ts';
import { BATCH_LIMIT, CALL_LIMIT } from './limits.ts';
import { Turns } from './turns.ts';
import type { FindSource } from './write-key.ts';

/** What taking calls needs, for requests from outside and for calls of the service itself. */
export interface CallNeeds {
  /**
   * Resolves when the events are durable; `duplicates`: indices of the events that were left out (contract 8.7).
   *
   * @throws Fault `storage_full`, `storage_unavailable` or `overloaded`.
   */
  append(events: readonly NewEvent[]): Promise<{ readonly duplicates: readonly number[] }>;
  readonly suppressed: Suppressed;
  readonly clock: Pick<Clock, 'now'>;
  readonly rejections: RejectionLog;
  readonly meter: Meter;
}

export interface CollectorNeeds extends CallNeeds {
  readonly findSource: FindSource;
  /** Checks who may send how much; absent: no checks. */
  readonly admission?: Pick<Admission, 'check' | 'charge'>;
}

/** Keeps refused calls for people to see. */
export interface RejectionLog {
  add(sourceId: string, at: number, code: FaultCode, message: string, part: string): void;
  /** A request whose write key names no source was refused. */
  unknownKey(refused: UnknownKey): void;
}

/** Counts everything. A request without a known source counts under the source id null. */
export interface Meter {
  accepted(sourceId: string, events: number): void;
  duplicates(sourceId: string, events: number): void;
  rejected(sourceId: string | null, code: FaultCode): void;
}

/** A request to the collection API, by any transport. */
export interface CollectRequest {
  /** What its path names: `batch`, `import` (a batch of history), or the type of a single call (any other word is refused as `invalid_type`). */
  readonly kind: string;
  /** The body as it was sent; null when it was larger than any limit. */
  readonly body: Uint8Array | null;
  /** Content-Encoding. */
  readonly encoding: string | undefined;
  /** From the request's head; null: the body's `writeKey` counts. */
  readonly writeKey: string | null;
  /** The client's address. */
  readonly ip: string;
  /** The Origin header of a browser. */
  readonly origin?: string | undefined;
  readonly userAgent?: string | undefined;
}

export interface CollectAnswer {
  readonly sourceId: string;
  /** Events that are durable now, and duplicates: calls left out because their messageId was seen before. */
  readonly accepted: number;
  readonly duplicates: number;
  /** Calls that were refused by themselves, by their index, as the caller is told. */
  readonly rejected: readonly RejectedCall[];
}

/**
 * The collect stage: it turns a request into durable events (contract 8).
 *
 * It resolves only after the append, so its answer is a promise kept. A bad call in a batch is refused by itself.
 *
 * @throws Fault for a request that is refused as a whole, and every fault of `append`.
 */
export type Collect = (request: CollectRequest) => Promise<CollectAnswer>;

export function createCollector(needs: CollectorNeeds): Collect {
  const turns = new Turns();
  return async (request) => {
    const receivedAt = needs.clock.now();
    const seen: Seen = { source: undefined, text: '', writeKey: '', isAdmitted: false, isRead: false };
    const sourceOf = async (writeKey: unknown): Promise<Source> => {
      if (typeof writeKey !== 'string' || writeKey === '') throw new Fault('missing_write_key', MISSING_KEY);
      seen.writeKey = writeKey;
      const source = await needs.findSource(writeKey);
      if (!source) throw new Fault('unknown_write_key', 'No source has this write key.');
      return source;
    };
    const admitted = (source: Source): Source => {
      seen.source = source;
      needs.admission?.check(source, request);
      seen.isAdmitted = true;
      return enabled(source);
    };
    try {
      const { writeKey } = request;
      let named = writeKey === null ? null : await sourceOf(writeKey);
      const turn = turns.wait(request.body ? mostBytes(request.body) : 0);
      if (turn) await turn;
      if (turn && writeKey !== null) {
        // Settings that changed during the wait count.
        const found = needs.findSource(writeKey);
        named = (found instanceof Promise ? await found : found) ?? (await sourceOf(writeKey));
      }
      if (named) admitted(named);
      readRequest(request, seen, turns);
      const source = named ?? admitted(await sourceOf(isObject(seen.body) ? seen.body['writeKey'] : null));
      const { ip, kind } = request;
      const facts = { source, receivedAt, ip, suppressed: needs.suppressed, isHistory: kind === 'import' };
      const read = readEvents(seen.body, kind, facts);
      // A request may wait long until it is durable: until then only its events take memory.
      seen.text = '';
      seen.body = undefined;
      seen.isRead = true;
      const bytes = read.events.reduce((sum, event) => sum + weightOf(event), 0);
      needs.admission?.charge({ source, ip, calls: read.events.length + read.rejected.length, bytes });
      return await keep(needs, read, facts);
    } catch (error) {
      if (error instanceof Fault) {
        if (seen.isRead) readRequest(request, seen, turns);
        const { source, text } = seen;
        // A request that met an outage was charged before.
        if (source && seen.isAdmitted && !isOutage(error.code))
          needs.admission?.charge({ source, ip: request.ip, calls: 1, bytes: text.length || costOf(request) });
        if (source) {
          const message = error.code === 'invalid_json' ? withoutExcerpt(error.message) : error.message;
          const part = seen.body === undefined ? text : partOf(seen.body, text, needs.suppressed);
          needs.rejections.add(source.id, receivedAt, error.code, message, withoutKeys(part, source));
        }
        if (!source && NO_SOURCE.has(error.code)) {
          const { ip: address, userAgent = '' } = request;
          const { code, message } = error;
          needs.rejections.unknownKey({ at: receivedAt, code, message, writeKey: seen.writeKey, address, userAgent });
        }
        needs.meter.rejected(source?.id ?? null, error.code);
      }
      throw error;
    }
  };
}

/**
 * Takes calls that the service itself makes under one of its sources; answers the refused ones.
 *
 * @throws Fault when the source can't take calls, or the log can't take events.
 */
export type OwnCalls = (sourceId: string, calls: readonly object[]) => Promise<readonly RejectedCall[]>;

export function createOwnCalls(needs: CallNeeds & { source(id: string): Source | undefined }): OwnCalls {
  return async (sourceId, calls) => {
    const source = needs.source(sourceId);
    if (!source) throw new Fault('not_found', `There is no source ${sourceId}.`);
    const { suppressed, clock } = needs;
    const facts = { source: enabled(source), receivedAt: clock.now(), ip: '', suppressed, isHistory: false };
    const { rejected } = await keep(needs, readEvents({ batch: calls }, 'batch', facts), facts);
    return rejected;
  };
}

/** What is known of a request when it is refused. */
interface Seen {
  source: Source | undefined;
  text: string;
  /** Undefined where the text is no JSON. */
  body?: unknown;
  writeKey: string;
  isAdmitted: boolean;
  /** Its events were made, and the text and the body were let go of. */
  isRead: boolean;
}

const MISSING_KEY = 'Send the write key as the user name of Basic authentication, or as "writeKey".';

const NO_SOURCE: ReadonlySet<FaultCode> = new Set(['missing_write_key', 'unknown_write_key']);

/** Bytes charged for a request whose body could not be read. */
function costOf({ body }: CollectRequest): number {
  return body === null ? BATCH_LIMIT.bytes : mostBytes(body);
}

/** The beginning of a text that is kept to be shown, without write keys. */
function withoutKeys(text: string, { writeKey, oldKey }: Source): string {
  const keys = [writeKey, ...(oldKey === null ? [] : [oldKey.writeKey])];
  let shown = text.slice(0, SHOWN).replaceAll(/("writeKey"\s*:\s*")[^"]*/g, '$1••••');
  for (const key of keys) shown = shown.replaceAll(key, '••••');
  return shown;
}

/** More than is kept in the end, so that a key at the end is not cut in half. */
const SHOWN = 4_096;

/** An engine's message about bad JSON without the part of the text that it quotes: that may contain a key. */
function withoutExcerpt(message: string): string {
  return message.replace(/,? ?(\.\.\.)?".*"(\.\.\.)? is not valid JSON$/s, '');
}

function enabled(source: Source): Source {
  if (!source.enabled) throw new Fault('source_disabled', 'The source is switched off.');
  return source;
}

function readRequest(request: CollectRequest, seen: Seen, turns: Turns): void {
  const limit = isBatch(request.kind) ? BATCH_LIMIT : CALL_LIMIT;
  if (request.body === null) throw tooLarge(limit);
  try {
    seen.text = readBody(request.body, request.encoding, limit);
  } finally {
    // A refused request was unpacked too, up to the limit.
    turns.spend(seen.text.length || costOf(request));
  }
  seen.body = parseJson(seen.text);
}

/** Resolves when the events are durable. */
async function keep(
  { append, meter, rejections }: CallNeeds,
  { events, rejected, parts }: ReadEvents,
  { source, receivedAt }: RequestFacts,
): Promise<CollectAnswer> {
  let duplicates = 0;
  if (events.length > 0) {
    duplicates = (await append(events)).duplicates.length;
    meter.accepted(source.id, events.length - duplicates);
    if (duplicates > 0) meter.duplicates(source.id, duplicates);
  }
  for (const [i, { code, message }] of rejected.entries()) {
    rejections.add(source.id, receivedAt, code, message, withoutKeys(parts[i] ?? '', source));
    meter.rejected(source.id, code);
  }
  const told = source.type === 'server' ? rejected : rejected.filter(({ code }) => code !== 'user_suppressed');
  return { sourceId: source.id, accepted: events.length - duplicates, duplicates, rejected: told };
}
