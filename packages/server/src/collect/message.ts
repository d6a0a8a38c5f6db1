import type { CallType } from '../core/event.ts';
import type { JsonObject } from '../core/json.ts';

/** Everything a delivered message says. Fields named …Json are JSON already; null fields are left out of the message. */
export interface MessageParts {
  readonly type: CallType;
  /** JSON of the identity and the type's own fields, without braces, as `ownFields` makes it. */
  readonly own: string;
  readonly timestamp: string;
  readonly contextJson: string;
  readonly anonymousId: string | null;
  readonly messageId: string;
  readonly receivedAt: string;
  readonly sentAt: string | null;
  readonly originalTimestamp: string | null;
  readonly integrationsJson: string | null;
}

/**
 * The delivered body in the field order of contract 1.1. Every part went through JSON.parse and JSON.stringify once and
 * no key of the message is integer-like, so the whole is a fixed point of `JSON.stringify(JSON.parse(body))`.
 *
 * Put together as text: building an object first, only to stringify it, would cost as much again.
 */
export function messageBody(parts: MessageParts): string {
  return (
    `{"version":1,"type":"${parts.type}",${parts.own},"timestamp":"${parts.timestamp}","context":${parts.contextJson}` +
    (parts.anonymousId === null ? '' : `,"anonymousId":${JSON.stringify(parts.anonymousId)}`) +
    `,"messageId":${JSON.stringify(parts.messageId)},"receivedAt":"${parts.receivedAt}"` +
    (parts.sentAt === null ? '' : `,"sentAt":${JSON.stringify(parts.sentAt)}`) +
    (parts.originalTimestamp === null ? '' : `,"originalTimestamp":${JSON.stringify(parts.originalTimestamp)}`) +
    (parts.integrationsJson === null ? '}' : `,"integrations":${parts.integrationsJson}}`)
  );
}

/** `userId` as every type but alias carries it: null for an anonymous call. */
export function identityOf(userId: string | null): string {
  return userId === null ? '"userId":null' : `"userId":${JSON.stringify(userId)}`;
}

/** `,"key":value`, or nothing when the value was not given. */
export function optional(key: string, value: unknown): string {
  return value === undefined || value === null ? '' : `,"${key}":${JSON.stringify(value)}`;
}

/** `,"key":{…}`, empty when the object was not given. */
export function required(key: string, value: JsonObject | null): string {
  return value === null ? `,"${key}":{}` : `,"${key}":${JSON.stringify(value)}`;
}

/** A context's JSON with the connection's address in it, when there is one to fill in (contract 8.9). */
export function withIp(json: string, ip: string | null): string {
  if (ip === null) return json;
  return `${json === '{}' ? '{' : `${json.slice(0, -1)},`}"ip":${JSON.stringify(ip)}}`;
}

/** JSON of what the call holds beyond `carried`; null when that is nothing. */
export function unsentJson(call: JsonObject, carried: ReadonlySet<string>): string | null {
  let json = '';
  for (const key in call) {
    if (carried.has(key)) continue;
    json += `${json === '' ? '{' : ','}${JSON.stringify(key)}:${JSON.stringify(call[key])}`;
  }
  return json === '' ? null : `${json}}`;
}
