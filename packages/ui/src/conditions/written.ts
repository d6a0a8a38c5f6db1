import type { ComputationDraft, Draft, PeriodDraft, ScalarDraft, SelectionDraft, TestDraft } from './draft.ts';
import { isKept } from './kept-number.ts';
import { TESTS } from './words.ts';

/** A part that is missing, or whose value can't be used. */
export interface Gap {
  /** The path, as the API names it: `all.0.event.name`. */
  readonly path: string;
  /** What the user should do. */
  readonly message: string;
  readonly isBlank: boolean;
}

export interface Written {
  /** As the API takes it. Valid only if there are no gaps. */
  readonly definition: object;
  readonly gaps: readonly Gap[];
  /** The paths that have their own field. */
  readonly fields: ReadonlySet<string>;
}

/** Collects gaps and fields while a definition is written. */
interface Notes {
  readonly gaps: Gap[];
  readonly fields: Set<string>;
}

/** What the user should do about each missing part. */
const MISSING = {
  part: 'Add a condition, or remove the group',
  track: 'Name the event',
  page: 'Name the page',
  screen: 'Name the screen',
  property: 'Name the property',
  trait: 'Name the trait',
  groupTrait: 'Name the group trait',
  field: 'Name the field',
  audience: 'Choose an audience',
  value: 'Add a value',
  text: 'Give a value, or choose “empty text”',
  contained: 'Give a text',
  number: 'Give a number',
  times: 'Say how many times',
  lastDays: 'Say how many days',
  lastHours: 'Say how many hours',
  moment: 'Give a date and a time',
} as const;

type Missing = keyof typeof MISSING;

/** The definition of a draft. It may have gaps. */
export function writtenCondition(draft: Draft): Written {
  const notes: Notes = { gaps: [], fields: new Set() };
  return { definition: condition(draft, '', notes), ...notes };
}

export function writtenTrait({ compute, property, event, during }: ComputationDraft): Written {
  const notes: Notes = { gaps: [], fields: new Set() };
  notes.fields.add('compute');
  const of = compute === 'count' ? true : name(property, `compute.${compute}`, 'property', notes);
  const definition = {
    compute: { [compute]: of },
    event: selection(event, 'event', notes),
    ...periodField(during, 'during', notes),
  };
  return { definition, ...notes };
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** The path of the condition inside the given number of `not`. */
export function insideNot(path: string, negations: number): string {
  return Array.from({ length: negations }, () => 'not').reduce(within, path);
}

export function within(path: string, name: string | number): string {
  return path === '' ? String(name) : `${path}.${name}`;
}

function condition(draft: Draft, path: string, notes: Notes): object {
  let written = body(draft, insideNot(path, draft.negations), notes);
  for (let i = 0; i < draft.negations; i += 1) written = { not: written };
  return written;
}

function body(draft: Draft, path: string, notes: Notes): object {
  switch (draft.kind) {
    case 'group': {
      const at = within(path, draft.of);
      if (draft.parts.length === 0) missing('part', at, notes);
      return { [draft.of]: draft.parts.map((part, i) => condition(part, within(at, i), notes)) };
    }
    case 'trait':
    case 'groupTrait':
    case 'field':
      return {
        [draft.kind]: name(draft.name, within(path, draft.kind), draft.kind, notes),
        is: test(draft.is, within(path, 'is'), notes),
      };
    case 'event': {
      const { count, during } = draft;
      const often = within(path, 'count');
      notes.fields.add(often);
      return {
        event: selection(draft.event, within(path, 'event'), notes),
        ...(count && { count: { [count.name]: number(count.times, within(often, count.name), 'times', notes) } }),
        ...periodField(during, within(path, 'during'), notes),
      };
    }
    case 'audience':
      return { audience: name(draft.id, within(path, 'audience'), 'audience', notes) };
    default:
      return draft satisfies never;
  }
}

function selection(draft: SelectionDraft, path: string, notes: Notes): object {
  const where = within(path, 'where');
  return {
    ...(draft.type !== null && { type: draft.type }),
    ...(draft.name !== null && { name: name(draft.name, within(path, 'name'), draft.type ?? 'track', notes) }),
    ...(draft.where.length > 0 && {
      where: draft.where.map(({ property, is }, i) => {
        const at = within(where, i);
        return {
          property: name(property, within(at, 'property'), 'property', notes),
          is: test(is, within(at, 'is'), notes),
        };
      }),
    }),
  };
}

function periodField(draft: PeriodDraft, path: string, notes: Notes): object {
  notes.fields.add(path);
  switch (draft.kind) {
    case 'ever':
      return {};
    case 'lastHours':
    case 'lastDays':
      return { during: { [draft.kind]: number(draft.length, within(path, draft.kind), draft.kind, notes) } };
    case 'between': {
      const { from, to } = draft;
      if (from && to && Date.parse(from) >= Date.parse(to)) {
        wrong('Must be later than the beginning', within(path, 'to'), notes);
      }
      return {
        during: {
          ...(from !== null && { from: name(from, within(path, 'from'), 'moment', notes) }),
          ...(to !== null && { to: name(to, within(path, 'to'), 'moment', notes) }),
        },
      };
    }
    default:
      return draft satisfies never;
  }
}

function test({ name: asked, values }: TestDraft, path: string, notes: Notes): object {
  const at = within(path, asked);
  notes.fields.add(path);
  const [value] = values;
  const { operand } = TESTS[asked];
  switch (operand) {
    case 'scalars':
      if (values.length === 0) missing('value', at, notes);
      return { [asked]: values.map((each, i) => scalar(each, within(at, i), notes)) };
    case 'scalar':
      return { [asked]: value ? scalar(value, at, notes) : null };
    case 'flag':
      return { [asked]: value?.type === 'true' };
    case 'text':
      return { [asked]: name(value?.text ?? '', at, 'contained', notes) };
    case 'instant':
      return { [asked]: name(value?.text ?? '', at, 'moment', notes) };
    case 'number':
      return { [asked]: number(value?.text ?? '', at, 'number', notes) };
    case 'days':
      return { [asked]: number(value?.text ?? '', at, 'lastDays', notes) };
    default:
      return operand satisfies never;
  }
}

function scalar({ type, text }: ScalarDraft, path: string, notes: Notes): unknown {
  if (type === 'text') return name(text, path, 'text', notes);
  if (type === 'number') return number(text, path, 'number', notes);
  notes.fields.add(path);
  return { empty: '', true: true, false: false, null: null }[type];
}

function name(text: string, path: string, what: Missing, notes: Notes): string {
  notes.fields.add(path);
  if (text === '') missing(what, path, notes);
  return text;
}

function number(text: string, path: string, what: Missing, notes: Notes): unknown {
  notes.fields.add(path);
  const said = text.trim();
  if (said === '') missing(what, path, notes);
  else if (!NUMBER.test(said)) wrong('Must be a number', path, notes);
  else if (!isKept(said)) wrong(`Can’t be kept exactly: it would become ${Number(said)}`, path, notes);
  else return Number(said);
  return text;
}

function missing(what: Missing, path: string, { gaps }: Notes): void {
  gaps.push({ path, message: MISSING[what], isBlank: true });
}

function wrong(message: string, path: string, { gaps }: Notes): void {
  gaps.push({ path, message, isBlank: false });
}
