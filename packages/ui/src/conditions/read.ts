import { randomId } from '@mantine/hooks';
import type { TestName } from '../../../server/src/admin/contract.ts';
import type {
  ComputationDraft,
  CountDraft,
  Draft,
  DraftBody,
  PeriodDraft,
  ScalarDraft,
  SelectionDraft,
  TestDraft,
} from './draft.ts';
import type { ComputeName, CountName } from './words.ts';
import { TESTS } from './words.ts';
import { writtenCondition, writtenTrait } from './written.ts';

/** Turns JSON into an equivalent draft. Null if it is not a definition, or no draft can express it. */
export function readCondition(input: unknown): Draft | null {
  const draft = condition(input);
  return same(writtenCondition(draft).definition, input) ? draft : null;
}

export function readTrait(input: unknown): ComputationDraft | null {
  const draft = computation(input);
  return same(writtenTrait(draft).definition, input) ? draft : null;
}

// The reading functions may accept anything: the result is written again and compared with the input, so nothing gets lost.

type Fields = Readonly<Record<string, unknown>>;

function condition(input: unknown): Draft {
  let [inner, negations] = [fields(input), 0];
  while ('not' in inner) [inner, negations] = [fields(inner['not']), negations + 1];
  return { key: randomId(), negations, ...body(inner) };
}

function body(input: Fields): DraftBody {
  const of = 'all' in input ? 'all' : 'any' in input ? 'any' : null;
  if (of) return { kind: 'group', of, parts: list(input[of]).map(condition) };
  const kind = (['trait', 'groupTrait', 'field'] as const).find((name) => name in input);
  if (kind) return { kind, name: text(input[kind]), is: test(input['is']) };
  if ('audience' in input) return { kind: 'audience', id: text(input['audience']) };
  const { event, count: counted, during } = input;
  return { kind: 'event', event: selection(event), count: count(counted), during: period(during) };
}

function computation(input: unknown): ComputationDraft {
  const { compute, event, during } = fields(input);
  const [named, property] = first(compute);
  const name = (named ?? 'count') as ComputeName;
  return { compute: name, property: text(property), event: selection(event), during: period(during) };
}

function selection(input: unknown): SelectionDraft {
  const { type, name, where } = fields(input);
  return {
    type: type === 'track' || type === 'page' || type === 'screen' ? type : null,
    name: name === undefined ? null : text(name),
    where: list(where).map((each) => {
      const { property, is } = fields(each);
      return { key: randomId(), property: text(property), is: test(is) };
    }),
  };
}

function count(input: unknown): CountDraft | null {
  const [name, times] = first(input);
  return name === undefined ? null : { name: name as CountName, times: text(times) };
}

function period(input: unknown): PeriodDraft {
  if (input === undefined) return { kind: 'ever' };
  const given = fields(input);
  for (const kind of ['lastHours', 'lastDays'] as const) {
    if (kind in given) return { kind, length: text(given[kind]) };
  }
  const end = (moment: unknown): string | null => (moment === undefined ? null : text(moment));
  return { kind: 'between', from: end(given['from']), to: end(given['to']) };
}

function test(input: unknown): TestDraft {
  const [given = '', value] = first(input);
  const name = given in TESTS ? (given as TestName) : 'equals';
  return { name, values: name === 'in' ? list(value).map(scalar) : [scalar(value)] };
}

function scalar(value: unknown): ScalarDraft {
  const key = randomId();
  if (typeof value === 'boolean' || value === null) return { key, type: `${value}`, text: '' };
  if (value === '') return { key, type: 'empty', text: '' };
  return { key, type: typeof value === 'number' ? 'number' : 'text', text: text(value) };
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function first(value: unknown): readonly [name?: string, value?: unknown] {
  return Object.entries(fields(value))[0] ?? [];
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Whether two values are equal as JSON, in any order of names. */
function same(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [ours, theirs] = [Object.entries(one), Object.entries(other)];
  return (
    ours.length === theirs.length &&
    ours.every(([name, value]) => Object.hasOwn(other, name) && same(value, (other as Fields)[name]))
  );
}
