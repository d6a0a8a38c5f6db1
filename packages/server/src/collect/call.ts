import { CALL_TYPES, type CallType } from '../core/event.ts';
import { isObject, type JsonObject, objectOrNull } from '../core/json.ts';
import { type Integrations, mergeIntegrations } from './integrations.ts';
import { LIMITS } from './limits.ts';
import { contextJson, messageBody, unsentJson } from './message.ts';
import { ownFields, readId, readIdentity } from './own-fields.ts';
import { notObject, type Refusal, refuse } from './refusal.ts';
import { correctedTimestamp, readStamp, type Stamp } from './timestamp.ts';

/** What surrounds a call: its request and, in a batch, what the batch says for all its calls. */
export interface Surroundings {
  readonly received: Stamp;
  /** The connection's address. It is filled in where `context.ip` is absent and `fillIp` or `context.direct` is true. */
  readonly ip: string;
  readonly fillIp: boolean;
  readonly sentAt: Stamp | null;
  readonly context: JsonObject | null;
  readonly integrations: JsonObject | null;
  newMessageId(): string;
}

/** An accepted call: an event whose body is still text. */
export interface Draft {
  readonly messageId: string;
  readonly type: CallType;
  readonly name: string | null;
  readonly userId: string | null;
  /** The delivered timestamp, milliseconds since the epoch. */
  readonly timestamp: number;
  readonly integrations: string | null;
  readonly unsent: string | null;
  readonly text: string;
}

/**
 * Reads one call. `pathType` is the type its path names, which wins over the call's own (decisions 8.8); null in a batch.
 *
 * Ids may be strings or numbers (sloppy clients send both; a number becomes its text), and an empty id counts as absent,
 * as null does for every field. A messageId of any other kind can't dedupe: the call gets a new one.
 */
export function readCall(call: unknown, pathType: string | null, around: Surroundings): Draft | Refusal {
  if (!isObject(call)) return refuse('call_not_object', 'A call must be a JSON object.');
  try {
    return read(call, pathType, around);
  } catch (error) {
    // JSON.stringify recurses: the only thing here that can run out of stack.
    if (error instanceof RangeError) return refuse('call_too_deep', 'The call is nested too deeply.');
    throw error;
  }
}

function read(call: JsonObject, pathType: string | null, around: Surroundings): Draft | Refusal {
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
  const context = mergeContext(around.context, ownContext);
  const integrations = readIntegrations(call, ownContext, around);
  if (integrations !== null && 'code' in integrations) return integrations;

  const givenId = readId(call['messageId']);
  const messageId = givenId ?? around.newMessageId();
  if (messageId.length > LIMITS.messageIdCharacters && [...messageId].length > LIMITS.messageIdCharacters) {
    return refuse('message_id_too_long', `"messageId" is longer than ${LIMITS.messageIdCharacters} characters.`);
  }

  const timestamp = readStamp(call['timestamp']);
  const ownOriginal = readStamp(call['originalTimestamp']);
  const sentAt = readStamp(call['sentAt']) ?? around.sentAt;
  const happened = correctedTimestamp(timestamp, ownOriginal, sentAt, around.received);
  const text = messageBody({
    type,
    own,
    timestamp: happened.text,
    contextJson: contextJson(context, wantsIp(context, around) ? around.ip : null),
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
    name: type === 'track' ? String(call['event']) : null,
    userId: identity.userId,
    timestamp: happened.instant,
    integrations: integrations === null ? null : integrations.routing,
    unsent: unsentJson(call, carriedBy(type, ownOriginal !== null && timestamp !== null, givenId === undefined)),
    text,
  };
}

/**
 * The batch's integrations lie under the call's own, and in both `context.integrations` lies under the top level. So
 * anything a call says for itself wins over what its batch says.
 */
function readIntegrations(
  call: JsonObject,
  ownContext: JsonObject | null,
  around: Surroundings,
): Integrations | Refusal | null {
  const own = objectOrNull(call['integrations']);
  if (own === undefined) return notObject('integrations');
  const inContext = objectOrNull(ownContext?.['integrations']);
  if (inContext === undefined) return notObject('integrations');
  if (own === null && inContext === null && around.integrations === null && around.context === null) return null;
  const inBatch = objectOrNull(around.context?.['integrations']);
  return mergeIntegrations([inBatch ?? null, around.integrations, inContext, own]);
}

/** Key by key, the call's own winning. Spreading defines keys, so `__proto__` stays data. */
function mergeContext(batch: JsonObject | null, own: JsonObject | null): JsonObject | null {
  if (batch === null) return own;
  return own === null ? batch : { ...batch, ...own };
}

function wantsIp(context: JsonObject | null, around: Surroundings): boolean {
  if (context === null) return around.fillIp;
  return (around.fillIp || context['direct'] === true) && context['ip'] === undefined;
}

function callType(type: unknown): CallType | null {
  return TYPES.has(type) ? (type as CallType) : null;
}

const TYPES: ReadonlySet<unknown> = new Set(CALL_TYPES);

/** Fields that every delivered message carries in some form, and the write key, which is never kept. */
const COMMON = ['type', 'userId', 'anonymousId', 'messageId', 'context', 'integrations', 'originalTimestamp', 'sentAt'];
const OWN: Readonly<Record<CallType, readonly string[]>> = {
  identify: ['traits'],
  track: ['event', 'properties'],
  page: ['name', 'category', 'properties'],
  screen: ['name', 'category', 'properties'],
  group: ['groupId', 'traits'],
  alias: ['previousId'],
};
const CARRIED = carriedSets(['writeKey', 'timestamp']);
const CARRIED_BUT_TIMESTAMP = carriedSets(['writeKey']);

/** Beside an originalTimestamp the timestamp is not delivered as given, so it is kept for the trace; an odd id too. */
function carriedBy(type: CallType, twoTimestamps: boolean, oddMessageId: boolean): ReadonlySet<string> {
  const carried = (twoTimestamps ? CARRIED_BUT_TIMESTAMP : CARRIED)[type];
  return oddMessageId ? carried.difference(new Set(['messageId'])) : carried;
}

function carriedSets(more: readonly string[]): Readonly<Record<CallType, ReadonlySet<string>>> {
  const of = (type: CallType): ReadonlySet<string> => new Set([...COMMON, ...OWN[type], ...more]);
  return {
    identify: of('identify'),
    track: of('track'),
    page: of('page'),
    screen: of('screen'),
    group: of('group'),
    alias: of('alias'),
  };
}
