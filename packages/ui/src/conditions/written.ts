import type { Typed } from './draft.ts';
import { isKept } from './kept-number.ts';
import { within } from './tree.ts';

/** A part that is missing, or whose value can't be used. */
export interface Gap {
  /** The path, as the API names it: `all.0.event.name`. */
  readonly path: string;
  /** What the user should do. */
  readonly message: string;
  readonly isBlank: boolean;
}

/** The names of a definition, in the order in which they are written. */
const ORDER = ['compute', 'event', 'type', 'name', 'where', 'property', 'is', 'count', 'during', 'from', 'to'];

/** The definition of a draft, as the API takes it. Valid only if there are no gaps. */
export function written(draft: unknown): unknown {
  if (typeof draft !== 'object' || draft === null) return draft;
  if (Array.isArray(draft)) return draft.map(written);
  if ('json' in draft) return draft.json;
  if (isTyped(draft)) return typedValue(draft);
  const parts = partsOf(draft).map(([name, part]) => [name, written(part)] as const);
  return Object.fromEntries(parts.toSorted(([a], [b]) => ORDER.indexOf(a) - ORDER.indexOf(b)));
}

/** The number that a text says, as JSON keeps it; undefined if it says none. */
export function numberIn(text: string): number | undefined {
  const said = text.trim();
  return NUMBER.test(said) && isKept(said) ? Number(said) : undefined;
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** Whether a form's value is a draft: sentences can express the definition. */
export function isDraft(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !('json' in value);
}

function typedValue({ type, text }: Typed): unknown {
  if (type === 'text') return text;
  return type === 'number' ? (numberIn(text) ?? text) : { empty: '', true: true, false: false, null: null }[type];
}

function isTyped(part: object): part is Typed {
  return 'type' in part && 'text' in part;
}

/** The fields of a part that the API knows. */
function partsOf(part: object): [string, unknown][] {
  return Object.entries(part).filter(([name, value]) => name !== 'key' && value !== undefined);
}

interface Looked {
  readonly gaps: readonly Gap[];
  /** The paths that have their own field. */
  readonly fields: ReadonlySet<string>;
}

/** What the user should do about a part that is missing, by its name. */
const MISSING: Readonly<Record<string, string>> = {
  all: 'Add a condition, or remove the group',
  any: 'Add a condition, or remove the group',
  track: 'Name the event',
  page: 'Name the page',
  screen: 'Name the screen',
  property: 'Name the property',
  trait: 'Name the trait',
  groupTrait: 'Name the group trait',
  field: 'Name the field',
  audience: 'Choose an audience',
  in: 'Add a value',
  contains: 'Give a text',
};

const MISSING_NUMBER: Readonly<Record<string, string>> = {
  count: 'Say how many times',
  lastDays: 'Say how many days',
  withinDays: 'Say how many days',
  lastHours: 'Say how many hours',
};

/** Looks through a draft for gaps. JSON that sentences can't express has none. */
export function looked(draft: unknown): Looked {
  const gaps: Gap[] = [];
  const fields = new Set<string>();
  const gap = (path: string, message: string, isBlank = true): void => void gaps.push({ path, message, isBlank });

  /** `what` is the name of the part; or of what it is a part of, where that says more. */
  const look = (part: unknown, path: string, what: string): void => {
    if (typeof part === 'string') {
      fields.add(path);
      if (part === '') gap(path, MISSING[what] ?? 'Give a date and a time');
    } else if (Array.isArray(part)) {
      if (part.length === 0) gap(path, MISSING[what] ?? '');
      for (const [i, each] of part.entries()) look(each, within(path, i), what);
    } else if (typeof part === 'object' && part !== null) {
      if (isTyped(part)) lookAtTyped(part, path, what);
      else lookInside(part, path, what);
    }
  };

  const lookAtTyped = ({ type, text }: Typed, path: string, what: string): void => {
    fields.add(path);
    if (type === 'text' && text === '') gap(path, 'Give a value, or choose “empty text”');
    if (type !== 'number') return;
    const said = text.trim();
    if (said === '') gap(path, MISSING_NUMBER[what] ?? 'Give a number');
    else if (!NUMBER.test(said)) gap(path, 'Must be a number', false);
    else if (!isKept(said)) gap(path, `Can’t be kept exactly: it would become ${Number(said)}`, false);
  };

  const lookInside = (part: object, path: string, what: string): void => {
    // The fields of what is tested, computed and counted, and of the period, are there without a value too.
    const own = 'event' in part ? ['compute' in part ? 'compute' : 'count', 'during'] : [];
    for (const name of own) fields.add(within(path, name));
    if (what === 'is') fields.add(path);
    if ('from' in part && 'to' in part && Date.parse(String(part.from)) >= Date.parse(String(part.to)))
      gap(within(path, 'to'), 'Must be later than the beginning', false);
    for (const [name, inner] of partsOf(part)) {
      const kind = name === 'name' ? String(('type' in part && part.type) || 'track') : name;
      const inside = { count: 'count', compute: 'property' }[what] ?? kind;
      if (name !== 'type') look(inner, within(path, name), inside);
    }
  };

  if (isDraft(draft)) look(draft, '', '');
  return { gaps, fields };
}
