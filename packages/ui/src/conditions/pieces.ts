import type {
  EventCondition,
  EventSelection,
  GroupTraitCondition,
  MemberCondition,
  Period,
  Scalar,
  Test,
  TestName,
  TraitCondition,
  TraitDefinition,
} from '../../../server/src/admin/contract.ts';
import { COMPUTES, COUNT_WORDS, type ComputeName, type CountName, counted, TESTS } from './words.ts';

/** A part of a sentence: plain words, a name or value that the user chose, a moment (ISO 8601), or an audience's id. */
export type Piece = string | { readonly mark: string } | { readonly moment: string } | { readonly audienceId: string };

/** A condition that contains no other conditions. */
export type Leaf = TraitCondition | GroupTraitCondition | EventCondition | MemberCondition;

/** `did Order Completed at least 2 times in the last 30 days where total is greater than 100` */
export function sentenceOf(leaf: Leaf): Piece[] {
  if ('trait' in leaf) return ['trait ', { mark: leaf.trait }, ' ', ...testPieces(leaf.is)];
  if ('groupTrait' in leaf) return ['group trait ', { mark: leaf.groupTrait }, ' ', ...testPieces(leaf.is)];
  if ('audience' in leaf) return ['is in the audience ', { audienceId: leaf.audience }];
  const { event, count, during } = leaf;
  const [[name, times] = []] = Object.entries(count ?? {});
  const isNever = times === 0;
  return [
    ...doing(event, isNever),
    ...(name !== undefined && !isNever
      ? [` ${COUNT_WORDS[name as CountName]} `, { mark: counted(times as number, 'time') }]
      : []),
    ...periodPieces(during),
    ...wherePieces(event),
  ];
}

/** `the sum of total over Order Completed in the last 90 days` */
export function traitSentenceOf({ compute, event, during }: TraitDefinition): Piece[] {
  const [[name, property] = []] = Object.entries(compute);
  const { words, link } = COMPUTES[name as ComputeName];
  const of: Piece[] =
    name === 'count' ? [' of '] : [link === '' ? ' ' : ` ${link} `, { mark: String(property) }, ' over '];
  return [{ mark: words }, ...of, ...what(event), ...periodPieces(during), ...wherePieces(event)];
}

function doing({ type, name }: EventSelection, isNever: boolean): Piece[] {
  if (type === 'page' || type === 'screen') {
    const verb = isNever ? 'did not view ' : 'viewed ';
    return name === undefined ? [`${verb}any ${type}`] : [`${verb}the ${type} `, { mark: name }];
  }
  return [isNever ? 'did not do ' : 'did ', { mark: name ?? '' }];
}

function what({ type, name }: EventSelection): Piece[] {
  if (type !== 'page' && type !== 'screen') return [{ mark: name ?? '' }];
  return name === undefined ? [`views of any ${type}`] : [`views of the ${type} `, { mark: name }];
}

function wherePieces({ where = [] }: EventSelection): Piece[] {
  return where.flatMap(({ property, is }, i) => [
    i === 0 ? ' where ' : ' and ',
    { mark: property },
    ' ',
    ...testPieces(is),
  ]);
}

function testPieces(test: Test): Piece[] {
  if ('exists' in test) return [test.exists ? 'exists' : 'does not exist'];
  if ('before' in test) return [`${TESTS.before.words} `, { moment: test.before }];
  if ('after' in test) return [`${TESTS.after.words} `, { moment: test.after }];
  if ('withinDays' in test) return [`${TESTS.withinDays.words} `, { mark: counted(test.withinDays, 'day') }];
  if ('in' in test) {
    const listed = test.in.flatMap((each, i): Piece[] => [
      ...(i === 0 ? [] : [i === test.in.length - 1 ? ' or ' : ', ']),
      { mark: valueInWords(each) },
    ]);
    return [`${TESTS.in.words} `, ...listed];
  }
  const [[name, value] = []] = Object.entries(test);
  return [`${TESTS[name as TestName].words} `, { mark: valueInWords(value as Scalar) }];
}

function periodPieces(during: Period | undefined): Piece[] {
  if (!during) return [];
  if ('lastHours' in during) return [' in the last ', { mark: counted(during.lastHours, 'hour') }];
  if ('lastDays' in during) return [' in the last ', { mark: counted(during.lastDays, 'day') }];
  const { from, to } = during;
  if (from !== undefined && to !== undefined) return [' between ', { moment: from }, ' and ', { moment: to }];
  if (from !== undefined) return [' since ', { moment: from }];
  return to === undefined ? [] : [' before ', { moment: to }];
}

const LOOKS_OTHERWISE = /^(?:true|false|null|\s*|\s.*|.*\s|[+-]?[\d.]+(?:e[+-]?\d+)?)$/i;

/** Quotes a text if it could be read as another kind of value. */
export function valueInWords(value: unknown): string {
  if (typeof value === 'string') return LOOKS_OTHERWISE.test(value) ? `“${value}”` : value;
  return JSON.stringify(value) ?? 'nothing';
}
