import type { CallType } from '../core/event.ts';
import { type JsonObject, objectOrNull } from '../core/json.ts';
import { identityOf, optional, required } from './message.ts';
import { notObject, type Refusal, refuse } from './refusal.ts';

/** Who a call is about. At least one is given; for an alias call `userId`, the new id, always is. */
interface Identity {
  readonly userId: string | null;
  readonly anonymousId: string | null;
}

export function readIdentity(call: JsonObject, type: CallType): Identity | Refusal {
  const userId = readId(call['userId']);
  const anonymousId = readId(call['anonymousId']);
  if (type === 'alias' && (userId === null || userId === undefined)) {
    return refuse(
      'user_id_required',
      'An alias call needs "userId", the new id: a text that is not empty, or a number.',
    );
  }
  if (userId === undefined || anonymousId === undefined || (userId === null && anonymousId === null)) {
    return refuse(
      'no_user_or_anonymous_id',
      'A call needs "userId" or "anonymousId", each a text that is not empty, or a number.',
    );
  }
  return { userId, anonymousId };
}

/** The identity and the type's own fields in the order of contract 1.1, as JSON without braces; or why they don't do. */
export function ownFields(call: JsonObject, type: CallType, userId: string | null): string | Refusal {
  switch (type) {
    case 'track': {
      const event = call['event'];
      if (typeof event !== 'string' || event.trim() === '') {
        return refuse('event_required', 'A track call needs "event", a string that is not blank.');
      }
      const properties = objectOrNull(call['properties']);
      if (properties === undefined) return notObject('properties');
      return `${identityOf(userId)},"event":${JSON.stringify(event.toWellFormed())}${required('properties', properties)}`;
    }
    case 'page':
    case 'screen': {
      const field = propertiesField(call);
      const properties = objectOrNull(call[field]);
      if (properties === undefined) return notObject(field);
      const named = `${identityOf(userId)}${optional('name', call['name'])}${optional('category', call['category'])}`;
      return named + (type === 'page' ? required('properties', properties) : optional('properties', properties));
    }
    case 'identify': {
      const traits = objectOrNull(call['traits'] ?? contextTraits(call));
      return traits === undefined ? notObject('traits') : `${identityOf(userId)}${required('traits', traits)}`;
    }
    case 'group': {
      const groupId = readId(call['groupId']);
      if (groupId === null || groupId === undefined) {
        return refuse('group_id_required', 'A group call needs "groupId", a string that is not empty.');
      }
      const traits = objectOrNull(call['traits']);
      if (traits === undefined) return notObject('traits');
      return `${identityOf(userId)},"groupId":${JSON.stringify(groupId)}${required('traits', traits)}`;
    }
    case 'alias': {
      const previousId = readId(call['previousId']);
      if (previousId === null || previousId === undefined) {
        return refuse('previous_id_required', 'An alias call needs "previousId", a string that is not empty.');
      }
      return `"Previous ID":${JSON.stringify(previousId)},"User ID":${JSON.stringify(userId)}`;
    }
    default:
      return type satisfies never;
  }
}

/** Of a page or screen call: some libraries call its properties traits. */
export function propertiesField(call: JsonObject): 'properties' | 'traits' {
  return (call['properties'] ?? null) === null && (call['traits'] ?? null) !== null ? 'traits' : 'properties';
}

/** Null when there are none. RudderStack's libraries write the traits of an identify call there, and nowhere else. */
function contextTraits(call: JsonObject): JsonObject | null {
  return objectOrNull(objectOrNull(call['context'])?.['traits']) ?? null;
}

/**
 * Null when not given or empty, undefined when given and neither a string nor a number. Half of a surrogate pair becomes U+FFFD: no
 * store keeps it as it is.
 */
export function readId(value: unknown): string | null | undefined {
  if (typeof value === 'string') return value === '' ? null : value.toWellFormed();
  if (value === undefined || value === null) return null;
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined;
}
