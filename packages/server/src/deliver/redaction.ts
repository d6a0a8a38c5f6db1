import { createHmac, createSecretKey } from 'node:crypto';
import { memo, weakMemo } from '../core/bounded-map.ts';
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
/** Most values of one call that are hashed, by all rules together: some milliseconds. A call of 32 KB may have 16,000 values. */
const MOST_HASHED = 1_000;
/** Most keys of destinations that are kept prepared. */
const MOST_KEYS = 256;

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
 * because it hides nothing. Without a key, fields that a rule would hash are masked; so are those beyond `MOST_HASHED`.
 */
export function redacted(call: JsonObject, { redact = [], redactKey }: Redacting): Redacted {
  const changed = new Set<Redaction>();
  const hashed = hasher(redactKey);
  const change: Change = (value, rule) => {
    const next = changedBy(rule.do, value, hashed);
    if (next !== value) changed.add(rule);
    return next;
  };
  const left = inside(call, stepsOf(redact), change) as JsonObject;
  return { call: left, changed: redact.filter((rule) => changed.has(rule)).map(({ path }) => path) };
}

function changedBy(how: Redaction['do'], value: unknown, hashed: (value: unknown) => string): unknown {
  if (how === 'drop') return undefined;
  if (value === null) return null;
  return how === 'hash' ? hashed(value) : MASKED;
}

/** Hashes the values of one call. */
function hasher(redactKey: string | undefined): (value: unknown) => string {
  let left = MOST_HASHED;
  return (value) => {
    if (redactKey === undefined || left-- <= 0) return MASKED;
    const words = typeof value === 'string' ? value : JSON.stringify(value);
    return createHmac('sha256', keyOf(redactKey)).update(words).digest('hex');
  };
}

/** To prepare a key costs five times as much as a hash. */
const keyOf = memo(MOST_KEYS, (redactKey) => createSecretKey(redactKey, 'base64url'));

/** What a rule does to a value. Undefined removes it. */
type Change = (value: unknown, rule: Redaction) => unknown;

/** How far the path of a rule has come at a value. */
interface Step {
  readonly rule: Redaction;
  /** The next name of the path. */
  readonly name: string;
  /** All names that are left. As in conditions, a name may itself contain dots; the rule means both that name and the path. */
  readonly whole: string;
  /** Null where the path has come to its end. */
  readonly next: Step | null;
  readonly end: Step | null;
}

/** The beginnings of the rules' paths. An edited destination gets a new list of rules, so this is done once for each list. */
const stepsOf = weakMemo((rules: readonly Redaction[]) => rules.map(beginning));

function beginning(rule: Redaction): Step {
  const end: Step = { rule, name: '', whole: '', next: null, end: null };
  let step = end;
  for (const name of rule.path.split('.').reverse()) {
    step = { rule, name, whole: step === end ? name : `${name}.${step.whole}`, next: step, end };
  }
  return step;
}

/** The steps that lead on to what is under a key; `EACH` asks for elements of a list. */
function under(key: string, steps: readonly Step[]): readonly Step[] {
  const found: Step[] = [];
  for (const { name, whole, next, end } of steps) {
    const step = key === whole ? end : key === name || name === EACH ? next : null;
    if (step !== null) found.push(step);
  }
  return found;
}

/**
 * A value after the rules that lead to it and into it. All rules go through a call together, because each way through a wide one costs
 * as much as all else that is done with it; a value meets them in their order.
 */
function after(value: unknown, steps: readonly Step[], change: Change): unknown {
  let left = value;
  let further: Step[] = [];
  for (const step of steps) {
    if (step.next !== null) further.push(step);
    else {
      if (further.length > 0) {
        left = inside(left, further, change);
        further = [];
      }
      left = change(left, step.rule);
      if (left === undefined) return undefined;
    }
  }
  return inside(left, further, change);
}

/** A value after the rules that lead into it; the same value where they find nothing there. */
function inside(value: unknown, steps: readonly Step[], change: Change): unknown {
  if (steps.length === 0) return value;
  if (Array.isArray(value)) {
    const inner = under(EACH, steps);
    const next = value.map((each) => after(each, inner, change));
    return next.every((each, place) => each === value[place]) ? value : next.filter((each) => each !== undefined);
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value);
  const next = entries.map(([key, each]): [string, unknown] => [key, after(each, under(key, steps), change)]);
  if (next.every(([, each], place) => each === entries[place]?.[1])) return value;
  return Object.fromEntries(next.filter(([, each]) => each !== undefined));
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
