import { CALL_TYPES, type CallType } from '../core/event.ts';
import { exceeded, isObject, type JsonBounds, type JsonObject, MAX_LEVELS, objectOrNull } from '../core/json.ts';
import { readStamp, type Stamp } from '../core/stamp.ts';
import type { BatchFields } from './batch-fields.ts';
import { tooLarge } from './body.ts';
import type { Integrations } from './integrations.ts';
import { CALL_LIMIT, LIMITS } from './limits.ts';
import { messageBody, unsentJson, withIp } from './message.ts';
import { ownFields, propertiesField, readId, readIdentity } from './own-fields.ts';
import { notObject, type Refusal, refuse } from './refusal.ts';
import { correctedTimestamp } from './timestamp.ts';

/** What belongs to a call besides its own fields: its request and, in a batch, the fields of the batch. */
export interface Surroundings {
  readonly received: Stamp;
  /** The connection's address. It becomes `context.ip` where that is absent and `fillIp` or `context.direct` is true. */
  readonly ip: string;
  readonly fillIp: boolean;
  /** Whether the call is imported history: its times come from records, not from a clock, and are not corrected. */
  readonly isHistory: boolean;
  readonly batchFields: BatchFields;
  newMessageId(): string;
}

/** An accepted call: an event whose body is still text. */
export interface Draft {
  readonly messageId: string;
  readonly type: CallType;
  readonly name: string | null;
  readonly userId: string | null;
  readonly anonymousId: string | null;
  /** The delivered timestamp, milliseconds since the epoch. */
  readonly timestamp: number;
  readonly integrations: string | null;
  readonly unsent: string | null;
  readonly text: string;
  /** Characters that the batch merged into the call. */
  readonly merged: number;
}

/**
 * Reads one call. `pathType`: the type that its path names, which wins over the call's own (contract 8.8); null in a batch.
 *
 * Ids may be strings or numbers (clients send both; a number becomes its text). An empty id counts as absent, as null does for
 * every field. A messageId of any other type can't tell duplicates: the call gets a new one.
 */
export function readCall(call: unknown, pathType: string | null, around: Surroundings): Draft | Refusal {
  if (!isObject(call)) return refuse('call_not_object', 'A call must be a JSON object.');
  // First of all, because the code below recurses and visits each value.
  const excess = exceeded(call, CALL_BOUNDS);
  if (excess === 'levels') {
    return refuse('call_too_deep', `The call has more than ${MAX_LEVELS} levels of objects and arrays.`);
  }
  if (excess === 'values') return refuse('call_too_large', tooLarge(CALL_LIMIT).message);
  const type = callType(pathType ?? call['type']);
  if (type === null) {
    return refuse('invalid_type', `"type" must be one of ${CALL_TYPES.join(', ')}.`);
  }
  const identity = readIdentity(call, type);
  if ('code' in identity) return identity;
  const own = ownFields(call, type, identity.userId);
  if (typeof own !== 'string') return own;

  const ownContext = objectOrNull(call['context']);
  if (ownContext === undefined) return notObject('context');
  const ownIntegrations = [objectOrNull(ownContext?.['integrations']), objectOrNull(call['integrations'])];
  if (!ownIntegrations.every((layer) => layer !== undefined)) return notObject('integrations');

  const givenId = readId(withHalvesSpelt(call['messageId']));
  const messageId = givenId ?? around.newMessageId();
  if (messageId.length > LIMITS.messageIdCharacters && [...messageId].length > LIMITS.messageIdCharacters) {
    return refuse('message_id_too_long', `"messageId" is longer than ${LIMITS.messageIdCharacters} characters.`);
  }

  const timestamp = readStamp(call['timestamp']);
  const ownOriginal = readStamp(call['originalTimestamp']);
  // Nothing of the batch is merged into a refused call.
  const before = around.batchFields.merged;
  const integrations: Integrations | null = around.batchFields.integrationsUnder(ownIntegrations);
  const context = around.batchFields.contextUnder(ownContext);
  const sentAt = around.batchFields.sentAtOr(readStamp(call['sentAt']));
  const clock = around.isHistory ? null : sentAt;
  const happened = correctedTimestamp(timestamp, ownOriginal, clock, around.received);
  const text = messageBody({
    type,
    own,
    timestamp: happened.text,
    contextJson: withIp(context, wantsIp(ownContext, around) ? around.ip : null),
    anonymousId: identity.anonymousId,
    messageId,
    receivedAt: around.received.text,
    sentAt: sentAt === null ? null : sentAt.text,
    originalTimestamp: (ownOriginal ?? timestamp)?.text ?? null,
    integrationsJson: integrations === null ? null : integrations.delivered,
  });
  return {
    messageId,
    type,
    name: nameOf(type, call),
    userId: identity.userId,
    anonymousId: identity.anonymousId,
    timestamp: happened.instant,
    integrations: integrations === null ? null : integrations.routing,
    unsent: unsentJson(call, carriedBy(call, type, ownOriginal !== null && timestamp !== null, givenId === undefined)),
    text,
    merged: around.batchFields.merged - before,
  };
}

/**
 * Writes half of a surrogate pair as JSON does, `\ud83d`: two such ids stay different, else the second call would count as a
 * duplicate of the first.
 */
function withHalvesSpelt(id: unknown): unknown {
  if (typeof id !== 'string' || id.isWellFormed()) return id;
  return id.replaceAll(/\p{Surrogate}/gu, (half) => `\\u${half.charCodeAt(0).toString(16)}`);
}

/** The name by which an event is found and shown beside its type. Only a track call's name decides where it goes. */
function nameOf(type: CallType, call: JsonObject): string | null {
  if (type === 'track') return String(call['event']).toWellFormed();
  const name = type === 'page' || type === 'screen' ? call['name'] : null;
  return typeof name === 'string' && name !== '' ? name : null;
}

/** Bounds of a call, and of the fields of a batch. */
export const CALL_BOUNDS: JsonBounds = { levels: MAX_LEVELS, values: LIMITS.callValues };

function wantsIp(own: JsonObject | null, { batchFields, fillIp }: Surroundings): boolean {
  const merged = (key: string): unknown => (own?.[key] === undefined ? batchFields.context : own)?.[key];
  return (fillIp || merged('direct') === true) && merged('ip') === undefined;
}

function callType(type: unknown): CallType | null {
  return TYPES.has(type) ? (type as CallType) : null;
}

const TYPES: ReadonlySet<unknown> = new Set(CALL_TYPES);

/** Fields that every delivered message carries in some form, and the write key, which is never stored. */
const COMMON = ['type', 'userId', 'anonymousId', 'messageId', 'context', 'integrations', 'originalTimestamp', 'sentAt'];
const OWN: Readonly<Record<CallType, readonly string[]>> = {
  identify: ['traits'],
  track: ['event', 'properties'],
  page: ['name', 'category', 'properties'],
  screen: ['name', 'category', 'properties'],
  group: ['groupId', 'traits'],
  alias: ['previousId'],
};
/** Every field that a call can have. */
export const CALL_FIELDS: readonly string[] = [
  ...new Set([...COMMON, ...Object.values(OWN).flat(), 'timestamp', 'writeKey', 'version', 'channel']),
];

const CARRIED = carriedSets(['writeKey', 'timestamp']);
const CARRIED_BUT_TIMESTAMP = carriedSets(['writeKey']);

/**
 * The fields that the delivered message carries. With an originalTimestamp the timestamp is not delivered as it was given, so it
 * is kept for the trace; so is an id of another type.
 */
function carriedBy(
  call: JsonObject,
  type: CallType,
  twoTimestamps: boolean,
  oddMessageId: boolean,
): ReadonlySet<string> {
  let carried = (twoTimestamps ? CARRIED_BUT_TIMESTAMP : CARRIED)[type];
  if ((type === 'page' || type === 'screen') && propertiesField(call) === 'traits') carried = carried.union(TRAITS);
  return oddMessageId ? carried.difference(MESSAGE_ID) : carried;
}

const TRAITS = new Set(['traits']);
const MESSAGE_ID = new Set(['messageId']);

function carriedSets(more: readonly string[]): Readonly<Record<CallType, ReadonlySet<string>>> {
  const sets = CALL_TYPES.map((type) => [type, new Set([...COMMON, ...OWN[type], ...more])]);
  return Object.fromEntries(sets) as Record<CallType, ReadonlySet<string>>;
}
