import type { ComputationDraft, Draft, PeriodDraft, ScalarDraft, SelectionDraft, TestDraft } from './draft.ts';

/** Something that must still be filled in, or is no number where one must be. */
export interface Gap {
  /** As the API names places: `all.0.event.name`. */
  readonly path: string;
  readonly isBlank: boolean;
}

export interface Written {
  /** As the API takes it, once there are no gaps. */
  readonly definition: object;
  readonly gaps: readonly Gap[];
}

/** A draft as the definition that it is, or will be when its gaps are filled. */
export function writtenCondition(draft: Draft): Written {
  const gaps: Gap[] = [];
  return { definition: condition(draft, '', gaps), gaps };
}

export function writtenTrait({ compute, property, event, during }: ComputationDraft): Written {
  const gaps: Gap[] = [];
  const of = compute === 'count' ? true : name(property, `compute.${compute}`, gaps);
  const definition = {
    compute: { [compute]: of },
    event: selection(event, 'event', gaps),
    ...periodField(during, 'during', gaps),
  };
  return { definition, gaps };
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** What the text says as a number; null where it says none that JSON could hold. */
function numberIn(text: string): number | null {
  const value = NUMBER.test(text.trim()) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : null;
}

/** Where the condition itself stands that so many `not` stand around. */
export function insideNot(path: string, negations: number): string {
  return Array.from({ length: negations }, () => 'not').reduce(within, path);
}

export function within(path: string, name: string | number): string {
  return path === '' ? String(name) : `${path}.${name}`;
}

function condition(draft: Draft, path: string, gaps: Gap[]): object {
  let written = body(draft, insideNot(path, draft.negations), gaps);
  for (let i = 0; i < draft.negations; i += 1) written = { not: written };
  return written;
}

function body(draft: Draft, path: string, gaps: Gap[]): object {
  switch (draft.kind) {
    case 'group': {
      const at = within(path, draft.of);
      if (draft.parts.length === 0) gaps.push({ path: at, isBlank: true });
      return { [draft.of]: draft.parts.map((part, i) => condition(part, within(at, i), gaps)) };
    }
    case 'trait':
    case 'groupTrait':
      return {
        [draft.kind]: name(draft.name, within(path, draft.kind), gaps),
        is: test(draft.is, within(path, 'is'), gaps),
      };
    case 'event': {
      const { count, during } = draft;
      return {
        event: selection(draft.event, within(path, 'event'), gaps),
        ...(count && { count: { [count.name]: number(count.times, within(within(path, 'count'), count.name), gaps) } }),
        ...periodField(during, within(path, 'during'), gaps),
      };
    }
    case 'audience':
      return { audience: name(draft.id, within(path, 'audience'), gaps) };
    default:
      return draft satisfies never;
  }
}

function selection(draft: SelectionDraft, path: string, gaps: Gap[]): object {
  const where = within(path, 'where');
  return {
    ...(draft.type !== null && { type: draft.type }),
    ...(draft.name !== null && { name: name(draft.name, within(path, 'name'), gaps) }),
    ...(draft.where.length > 0 && {
      where: draft.where.map(({ property, is }, i) => {
        const at = within(where, i);
        return {
          property: name(property, within(at, 'property'), gaps),
          is: test(is, within(at, 'is'), gaps),
        };
      }),
    }),
  };
}

function periodField(draft: PeriodDraft, path: string, gaps: Gap[]): object {
  switch (draft.kind) {
    case 'ever':
      return {};
    case 'lastHours':
    case 'lastDays':
      return { during: { [draft.kind]: number(draft.length, within(path, draft.kind), gaps) } };
    case 'between': {
      const { from, to } = draft;
      return {
        during: {
          ...(from !== null && { from: name(from, within(path, 'from'), gaps) }),
          ...(to !== null && { to: name(to, within(path, 'to'), gaps) }),
        },
      };
    }
    default:
      return draft satisfies never;
  }
}

function test({ name: asked, values }: TestDraft, path: string, gaps: Gap[]): object {
  const at = within(path, asked);
  const [value] = values;
  switch (asked) {
    case 'in':
      if (values.length === 0) gaps.push({ path: at, isBlank: true });
      return { in: values.map((each, i) => scalar(each, within(at, i), gaps)) };
    case 'equals':
    case 'not':
      return { [asked]: value ? scalar(value, at, gaps) : null };
    case 'exists':
      return { exists: value?.type === 'true' };
    case 'contains':
    case 'before':
    case 'after':
      return { [asked]: name(value?.text ?? '', at, gaps) };
    case 'greater':
    case 'atLeast':
    case 'less':
    case 'atMost':
    case 'withinDays':
      return { [asked]: number(value?.text ?? '', at, gaps) };
    default:
      return asked satisfies never;
  }
}

function scalar({ type, text }: ScalarDraft, path: string, gaps: Gap[]): unknown {
  if (type === 'text') return text;
  if (type === 'number') return number(text, path, gaps);
  return { true: true, false: false, null: null }[type];
}

function name(text: string, path: string, gaps: Gap[]): string {
  if (text === '') gaps.push({ path, isBlank: true });
  return text;
}

function number(text: string, path: string, gaps: Gap[]): unknown {
  const value = numberIn(text);
  if (value === null) gaps.push({ path, isBlank: text.trim() === '' });
  return value ?? text;
}
