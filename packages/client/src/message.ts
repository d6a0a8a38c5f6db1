import type { CallType } from './calls.ts';
import { type Check, type Checks, checked, isObject, isText } from './checks.ts';
import { errorOf } from './error.ts';
import type { Settings } from './options.ts';
import type { Runtime } from './runtime.ts';

/** Largest call, in bytes as sent. */
export const CALL_BYTES = 32_000;
const MESSAGE_ID_CHARACTERS = 100;

/** A checked call as JSON, with its bytes in UTF-8. */
export interface Text {
  readonly text: string;
  readonly bytes: number;
}

/**
 * The JSON text of a call. A field that is undefined or null counts as absent.
 *
 * @throws MillraceError `invalid_call`, naming the field, or `call_too_large`.
 */
export function messageOf(
  type: CallType,
  call: object,
  { context, integrations }: Pick<Settings, 'context' | 'integrations'>,
  { now, uuid }: Pick<Runtime, 'now' | 'uuid'>,
): Text {
  const fields = checked(call, FIELDS[type], 'invalid_call', `${type}:`);
  const missing =
    REQUIRED.find((name) => FIELDS[type][name] && !fields[name]) ??
    (!fields['userId'] && (type === 'alias' ? 'userId' : !fields['anonymousId'] && 'userId" or "anonymousId'));
  if (missing) throw errorOf('invalid_call', `${type}: "${missing}" is missing.`);
  const message: Record<string, unknown> = { type, messageId: uuid(), timestamp: isoText(now()), ...fields };
  const own = fields['context'] as Record<string, object> | undefined;
  // The call's own values replace the client's defaults, in `context.integrations` as well as in `integrations`.
  if (integrations) {
    message['integrations'] = { ...integrations, ...own?.['integrations'], ...(fields['integrations'] as object) };
  }
  if (context) message['context'] = { ...context, ...own };
  if (FIELDS[type] === PAGE) {
    message['properties'] = fields['traits'];
    message['traits'] = undefined;
  }
  const text = JSON.stringify(message);
  const bytes = byteLength(text);
  if (bytes > CALL_BYTES) {
    throw errorOf('call_too_large', `${type}: ${bytes} bytes exceed ${CALL_BYTES}.`);
  }
  return { text, bytes };
}

/** Many calls fall into one millisecond, and this text is the most expensive part of a call. So the last text is kept. */
export function isoText(now: number): string {
  if (now !== lastNow) {
    lastText = new Date(now).toISOString();
    lastNow = now;
  }
  return lastText;
}

let lastNow = 0;
let lastText = '';

/** Bytes of a text in UTF-8. */
export function byteLength(text: string): number {
  const { read, written } = encoder.encodeInto(text, room);
  return read === text.length ? written : encoder.encode(text).length;
}

/** Measures a length without allocating memory, which is many times faster than `encode`. */
const encoder = /* @__PURE__ */ new TextEncoder();
const room = /* @__PURE__ */ new Uint8Array(CALL_BYTES);

const timestamp: Check = (value) => {
  const fine = value instanceof Date ? value.toJSON() : isText(value) === false && ISO_8601.test(value as string);
  return !fine && ' must be a Date or ISO 8601 text';
};

/** As lenient as the service: accepts `2015-2-02T00:30:08.276Z` and `2009-11-10T23:00:00+0000` too. */
const ISO_8601 = /^\d{4}-[01]?\d-[0-3]?\d([T ]\d\d?:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d:?(\d\d)?)?)?$/i;

/** The service refuses a name that is only white space. */
const isName: Check = (value) => isText((value as Partial<string>).trim?.());

const COMMON: Checks = {
  userId: isText,
  anonymousId: isText,
  timestamp,
  context: isObject,
  integrations: isObject,
  messageId: (value) =>
    isText(value) || ((value as string).length > MESSAGE_ID_CHARACTERS && ` is longer than ${MESSAGE_ID_CHARACTERS}`),
};

const PAGE: Checks = { ...COMMON, name: isText, category: isText, traits: isObject };

const FIELDS: Readonly<Record<CallType, Checks>> = {
  identify: { ...COMMON, traits: isObject },
  track: { ...COMMON, event: isName, properties: isObject },
  page: PAGE,
  screen: PAGE,
  group: { ...COMMON, groupId: isText, traits: isObject },
  alias: { ...COMMON, previousId: isText },
};

/** Required by every call type that has the field. */
const REQUIRED = ['event', 'groupId', 'previousId'];
