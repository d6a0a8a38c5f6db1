import type { Position } from '../core/event.ts';
import { isObject, type JsonObject, readJson } from '../core/json.ts';
import { isPlaceholderId } from '../core/placeholder-ids.ts';
import { IDENTITY_RULES, type IdentityRules } from './identity-rules.ts';

/** What one accepted call says about a person, read from its delivered body. */
export interface Call {
  readonly sourceId: string;
  /** Whether its source is a server source, whose key only servers have. */
  readonly isServer: boolean;
  readonly position: Position;
  /** Its `timestamp`, milliseconds since the epoch. A time more than a day after the receipt is replaced by the time of the receipt. */
  readonly at: number;
  readonly messageId: string;
  /** The call's `userId`; for an alias the new id. */
  readonly userId: string | null;
  readonly anonymousId: string | null;
  /** The earlier id of an alias. */
  readonly previousId: string | null;
  readonly said: Said;
}

export type Said =
  | { readonly type: 'identify'; readonly traits: JsonObject }
  | { readonly type: 'group'; readonly groupId: string; readonly traits: JsonObject }
  | { readonly type: 'track' | 'page' | 'screen'; readonly name: string | null; readonly properties: JsonObject }
  | { readonly type: 'alias' };

/** Where a message comes from. */
export type CallOrigin = Pick<Call, 'sourceId' | 'isServer' | 'position'>;

/**
 * Reads an accepted message. Null when it says nothing about a person: a notice of deletion, or a body that is no JSON, which
 * earlier versions could store. Ids that name no person are left out.
 */
export function readCall(origin: CallOrigin, body: string, rules: IdentityRules = IDENTITY_RULES): Call | null {
  const message = readJson(body);
  if (!isObject(message)) return null;
  const said = saidIn(message);
  if (said === null) return null;
  const alias = said.type === 'alias';
  const id = (value: unknown): string | null => {
    const text = textOrNull(value);
    return text === null || isPlaceholderId(text, rules.placeholderIds) ? null : text;
  };
  return {
    ...origin,
    at: timeOf(message),
    messageId: String(message['messageId']),
    userId: id(message[alias ? 'User ID' : 'userId']),
    anonymousId: id(message['anonymousId']),
    previousId: alias ? id(message['Previous ID']) : null,
    said,
  };
}

/** A call with a time far ahead would win over all later calls until then. */
function timeOf(message: JsonObject): number {
  const at = Date.parse(String(message['timestamp']));
  const received = Date.parse(String(message['receivedAt']));
  return at > received + FUTURE_MS ? received : at;
}

/** Clocks of devices are wrong, and time zones are mistaken: a time up to a day ahead is believed. */
const FUTURE_MS = 86_400_000;

function saidIn(message: JsonObject): Said | null {
  const type = message['type'];
  switch (type) {
    case 'identify':
      return { type, traits: objectIn(message['traits']) };
    case 'group':
      return { type, groupId: String(message['groupId']), traits: objectIn(message['traits']) };
    case 'track':
      return { type, name: String(message['event']), properties: objectIn(message['properties']) };
    case 'page':
    case 'screen':
      return { type, name: textOrNull(message['name']), properties: objectIn(message['properties']) };
    case 'alias':
      return { type };
    default:
      return null;
  }
}

function objectIn(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.toWellFormed() : null;
}
