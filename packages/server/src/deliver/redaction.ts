import { createHmac } from 'node:crypto';
import { memo } from '../core/bounded-map.ts';
import { BOUNDS, type Checked, checked, fail, list, object, oneOf, refined, text } from '../core/definition-form.ts';
import { type Destination, REDACTIONS, type Redaction } from '../core/destination.ts';
import { isObject, type JsonObject } from '../core/json.ts';
import { CALL_OBJECTS, isBelow } from './call-filter.ts';
import { callIn } from './parsed-body.ts';
import type { Outgoing } from './sender.ts';

/** Most rules of a destination; most names in a path. */
const MOST_RULES = 50;
const MOST_NAMES = 16;
/** Stands for each element of a list, and for each key of an object. */
const EACH = '*';
const MASKED = '***';

const rule = object({
  path: refined(text(BOUNDS.name), (input, path, report) => {
    const names = String(input).split('.');
    if (isBelow(input) && !names.includes('') && names.length <= MOST_NAMES) return;
    const below = CALL_OBJECTS.map((object) => `${object}.`).join(' or ');
    fail(report, path, `must begin with ${below}, with at most ${MOST_NAMES} names joined by dots, none of them empty`);
  }),
  do: oneOf(REDACTIONS),
});

/** Checks JSON of any caller. */
export function checkRedactions(input: unknown): Checked<readonly Redaction[]> {
  return checked(input, list(MOST_RULES, rule));
}

export type Redacting = Pick<Destination, 'redact' | 'redactKey'>;

/** A call after a destination's rules. */
export interface Redacted {
  readonly call: JsonObject;
  /** Paths of the rules that changed something. */
  readonly changed: readonly string[];
}

/**
 * The call as it is sent. The call itself is not changed; unchanged parts are shared. Keys keep their order. A null stays null,
 * because it hides nothing. Without a key, fields that a rule would hash are masked.
 */
export function redacted(call: JsonObject, { redact = [], redactKey }: Redacting): Redacted {
  const changed: string[] = [];
  let left = call;
  for (const { path, do: how } of redact) {
    const next = changedAt(left, path.split('.'), changes(how, redactKey)) as JsonObject;
    if (next !== left) changed.push(path);
    left = next;
  }
  return { call: left, changed };
}

/** Undefined removes the field. */
type Change = (value: unknown) => unknown;

function changes(how: Redaction['do'], key: string | undefined): Change {
  if (how === 'drop') return () => undefined;
  if (how === 'mask' || key === undefined) return (value) => (value === null ? null : MASKED);
  return (value) => (value === null ? null : digest(value, key));
}

function digest(value: unknown, key: string): string {
  const words = typeof value === 'string' ? value : JSON.stringify(value);
  return createHmac('sha256', Buffer.from(key, 'base64url')).update(words).digest('hex');
}

/** The field's value after a rule; the same value where the rule finds nothing in it. */
function changedAt(value: unknown, names: readonly string[], change: Change): unknown {
  const [name = '', ...deeper] = names;
  const inner: Change = (each) => (deeper.length === 0 ? change(each) : changedAt(each, deeper, change));
  if (Array.isArray(value)) return name === EACH ? changedItems(value, inner) : value;
  if (!isObject(value)) return value;
  // As in conditions, a name may itself contain dots; the rule means both that name and the path.
  const whole = names.join('.');
  const entries = Object.entries(value);
  const next = entries.map(([key, each]): [string, unknown] => {
    if (deeper.length > 0 && key === whole) return [key, change(each)];
    return [key, name === EACH || key === name ? inner(each) : each];
  });
  if (next.every(([, each], place) => each === entries[place]?.[1])) return value;
  return Object.fromEntries(next.filter(([, each]) => each !== undefined));
}

function changedItems(items: readonly unknown[], inner: Change): unknown {
  const next = items.map(inner);
  return next.every((each, place) => each === items[place]) ? items : next.filter((each) => each !== undefined);
}

/** Most bodies that are kept after their rules, by body and rules. */
const MOST_FORMS = 256;
const formsOf = memo(MOST_FORMS, (_: Uint8Array) => new WeakMap<object, Uint8Array>());

/**
 * The message that a destination gets. Its body is built once for all URLs, and for attempts that follow soon. Without rules it
 * is the message itself; a notice of deletion always is. The body stays a fixed point of `JSON.stringify(JSON.parse(body))`.
 */
export function outgoing<M extends Outgoing & { readonly type: string }>(message: M, to: Redacting): M {
  const { redact } = to;
  if (!redact?.length || message.type === 'delete') return message;
  const byRules = formsOf(message.body);
  let body = byRules.get(redact);
  if (body === undefined) {
    const call = callIn(message.body);
    const left = redacted(call, to);
    body = left.call === call ? message.body : new TextEncoder().encode(JSON.stringify(left.call));
    byRules.set(redact, body);
  }
  return body === message.body ? message : { ...message, body };
}
