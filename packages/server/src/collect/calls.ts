import { randomUUIDv7 } from 'node:crypto';
import { Fault } from '../core/fault.ts';
import { exceeded, isObject, type JsonObject, objectOrNull } from '../core/json.ts';
import type { Source } from '../core/source.ts';
import { BatchFields, NO_BATCH } from './batch-fields.ts';
import { tooLarge } from './body.ts';
import { CALL_BOUNDS, CALL_FIELDS, type Draft, readCall, type Surroundings } from './call.ts';
import { CALL_LIMIT, LIMITS } from './limits.ts';
import { type NameSlips, slipNamer } from './near-fields.ts';
import { readId } from './own-fields.ts';
import { isRefusal, type Refusal } from './refusal.ts';
import { stampOf } from './timestamp.ts';

/** What is known of a request besides its body. */
export interface RequestFacts {
  readonly source: Source;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  /** The client's address. */
  readonly ip: string;
  readonly suppressed: Suppressed;
  /** Whether the calls are imported. */
  readonly isHistory: boolean;
}

/** The users whose calls are refused (contract 10.1). */
export interface Suppressed {
  readonly size: number;
  has(userId: string): boolean;
}

export interface RejectedCall extends Refusal {
  readonly index: number;
}

/** The calls of one request: the accepted ones, and the refused ones. */
export interface ReadCalls {
  readonly drafts: readonly Draft[];
  readonly rejected: readonly RejectedCall[];
  /** The JSON of each refused call; empty where nothing of it may be kept, and for all but the last ones. */
  readonly parts: readonly string[];
}

/**
 * The one call of a request whose path names a type. A call of a suppressed user is refused as in a batch, so the request is
 * answered as a success.
 *
 * @throws Fault with the code of a refusal.
 */
export function readSingle(body: unknown, type: string, request: RequestFacts): ReadCalls {
  const call = readCall(body, type, surroundingsOf(NO_BATCH, request));
  if (isRefusal(call)) {
    const { code, message } = slipNamer(CALL_FIELDS)(call, body);
    const hint = isObject(body) && Array.isArray(body['batch']) ? ' A body with a "batch" goes to /v1/batch.' : '';
    throw new Fault(code, message + hint);
  }
  const length = call.text.length + (call.unsent?.length ?? 0) + (call.integrations?.length ?? 0);
  if (length > LIMITS.messageCharacters) {
    throw new Fault(
      'call_too_large',
      `The call has ${length} characters once its numbers are written out; ${LIMITS.messageCharacters} are allowed.`,
    );
  }
  if (isSuppressed(call, body, request.suppressed)) {
    return { drafts: [], rejected: [{ index: 0, ...SUPPRESSED }], parts: [''] };
  }
  return { drafts: [call], rejected: [], parts: [] };
}

/**
 * The calls of a batch; a bad call is refused by itself.
 *
 * @throws Fault `empty_batch`, `too_large`, `call_too_deep`, `context_not_object` or `integrations_not_object`, for the whole
 * batch.
 */
export function readBatch(body: unknown, request: RequestFacts): ReadCalls {
  const batch = isObject(body) ? body : {};
  const calls = batch['batch'];
  if (!Array.isArray(calls)) throw new Fault('empty_batch', 'The body has no "batch", an array of calls.');
  if (calls.length === 0) throw new Fault('empty_batch', 'The "batch" holds no calls.');
  if (calls.length > LIMITS.batchCalls) {
    throw new Fault('too_large', `The batch has ${calls.length} calls; ${LIMITS.batchCalls} are allowed.`);
  }
  return sort(calls, surroundingsOf(fieldsOf(batch), request), request);
}

function sort(calls: readonly unknown[], around: Surroundings, { suppressed }: RequestFacts): ReadCalls {
  const drafts: Draft[] = [];
  const rejected: RejectedCall[] = [];
  const refused: unknown[] = [];
  let nameSlips: NameSlips | undefined;
  for (let index = 0; index < calls.length; index += 1) {
    const call = calls[index];
    const result = readBatchedCall(call, around, suppressed);
    if (!isRefusal(result)) {
      drafts.push(result);
      continue;
    }
    nameSlips ??= slipNamer(CALL_FIELDS);
    const { code, message } = nameSlips(result, call);
    rejected.push({ index, code, message });
    refused.push(namesOneOf(suppressed, call) ? undefined : call);
  }
  const notShown = refused.length - LIMITS.shownRefusals;
  const parts = refused.map((call, i) => (i < notShown || call === undefined ? '' : jsonToShow(call)));
  return { drafts, rejected, parts };
}

/**
 * A call in a batch is as large as its compact JSON and what the batch merges into it. That is only written out where what was made of the call is long
 * enough to be near the limit: a character of it is at most six bytes of the call (half of a surrogate pair), and the few fields that are not carried
 * (a write key, `all` beside `All`, nulls) are what the margin is for.
 */
function readBatchedCall(call: unknown, around: Surroundings, suppressed: Suppressed): Draft | Refusal {
  const result = readCall(call, null, around);
  if (isRefusal(result)) return result;
  if (isSuppressed(result, call, suppressed)) return SUPPRESSED;
  const length = result.text.length + (result.unsent?.length ?? 0) + uncarriedLength(call);
  if (length * 6 + 1024 <= LIMITS.callBytes) return result;
  if (Buffer.byteLength(JSON.stringify(call)) + result.merged <= LIMITS.callBytes) return result;
  const message = `${tooLarge(CALL_LIMIT).message} What its batch says for all calls counts.`;
  return { code: 'call_too_large', message: result.merged === 0 ? tooLarge(CALL_LIMIT).message : message };
}

/** Characters of what is not carried; so many that all is written out where that is not known at once. */
function uncarriedLength(call: unknown): number {
  if (!isObject(call)) return 0;
  const { writeKey, integrations, context } = call;
  const hasBoth = [integrations, isObject(context) ? context['integrations'] : null].some(
    (layer) => isObject(layer) && Object.hasOwn(layer, 'all') && Object.hasOwn(layer, 'All'),
  );
  if (hasBoth || (writeKey !== undefined && typeof writeKey !== 'string')) return LIMITS.callBytes;
  return writeKey?.length ?? 0;
}

const SUPPRESSED: Refusal = {
  code: 'user_suppressed',
  message: 'The user is suppressed: calls are taken again when the suppression is lifted.',
};

/** Whether one of the call's ids is suppressed: an alias call names two users. */
function isSuppressed({ userId, anonymousId, type }: Draft, call: unknown, suppressed: Suppressed): boolean {
  if (suppressed.size === 0) return false;
  const previousId = type === 'alias' && isObject(call) ? readId(call['previousId']) : null;
  return [userId, anonymousId, previousId].some((id) => typeof id === 'string' && suppressed.has(id));
}

function fieldsOf(batch: JsonObject): BatchFields {
  const context = objectOrNull(batch['context']);
  if (context === undefined) throw new Fault('context_not_object', 'The batch\'s "context" must be a JSON object.');
  const integrations = [objectOrNull(context?.['integrations']), objectOrNull(batch['integrations'])];
  if (!integrations.every((layer) => layer !== undefined)) {
    throw new Fault('integrations_not_object', 'The batch\'s "integrations" must be a JSON object.');
  }
  const levels = CALL_BOUNDS.levels - 1;
  const excess = exceeded([context, integrations[1], batch['sentAt']], { ...CALL_BOUNDS, levels: levels + 1 });
  if (excess === 'levels') {
    const message = `The batch's "context", "integrations" and "sentAt" may have ${levels} levels of objects and arrays.`;
    throw new Fault('call_too_deep', message);
  }
  if (excess === 'values') {
    throw new Fault('too_large', 'The batch\'s "context", "integrations" and "sentAt" are larger than a call may be.');
  }
  return new BatchFields(context, integrations, batch['sentAt']);
}

function surroundingsOf(batchFields: BatchFields, { source, receivedAt, ip, isHistory }: RequestFacts): Surroundings {
  return {
    received: stampOf(receivedAt),
    ip,
    fillIp: source.type === 'web',
    isHistory,
    batchFields,
    newMessageId: randomUUIDv7,
  };
}

/**
 * What is shown of a body that was refused as a whole; empty where nothing of it may be kept. The calls of a long batch are left
 * out: the kept beginning of a call could name a person by a field that a deletion, which looks for ids, does not find.
 */
export function partOf(body: unknown, text: string, suppressed: Suppressed): string {
  const batch = isObject(body) && Array.isArray(body['batch']) ? body['batch'] : null;
  if ((batch ?? [body]).some((call) => namesOneOf(suppressed, call))) return '';
  if (text.length <= SHOWN_WHOLE) return text;
  if (!isObject(body) || !batch) return jsonToShow(body);
  const { sentAt, context, integrations } = body;
  const [shownSentAt, shownContext, shownIntegrations] = [sentAt, context, integrations].map(outlined);
  const calls = `(${batch.length} calls)`;
  return jsonToShow({ batch: calls, sentAt: shownSentAt, context: shownContext, integrations: shownIntegrations });
}

/** A field of a batch without its content. */
function outlined(value: unknown): unknown {
  if (Array.isArray(value)) return `(${value.length} elements)`;
  return isObject(value) ? '(an object)' : value;
}

/** A body of at most this many characters is shown whole. */
const SHOWN_WHOLE = 1_024;

/** Whether a call names a suppressed user. Nothing of such a call is kept, even where it is refused for another reason. */
function namesOneOf(suppressed: Suppressed, call: unknown): boolean {
  if (suppressed.size === 0 || !isObject(call)) return false;
  return [call['userId'], call['anonymousId'], call['previousId']].some((value) => {
    const id = readId(value);
    return typeof id === 'string' && suppressed.has(id);
  });
}

/** Shown in the place of a call that is nested too deeply for recursive code, or would take long to write out. */
const NOT_SHOWN = '(too large, or nested too deeply, to be shown)';

/** The call without its write key. A long call begins with its ids: its end is cut, and a deletion looks for the ids. */
function jsonToShow(value: unknown): string {
  const call = exceeded(value, CALL_BOUNDS) === null ? value : NOT_SHOWN;
  if (!isObject(call)) return JSON.stringify(call);
  const json = JSON.stringify({ ...call, writeKey: undefined });
  if (json.length <= SHOWN_WHOLE) return json;
  const { userId, anonymousId, previousId } = call;
  return `${JSON.stringify({ userId, anonymousId, previousId }).slice(0, -1)}, ${json.slice(1)}`;
}
