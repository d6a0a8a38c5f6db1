import type { ReactElement } from 'react';
import type { TestName } from '../../../server/src/admin/contract.ts';
import type { SuggestionsQuery } from '../api/suggestions.ts';
import type { TestDraft } from './draft.ts';
import { ScalarField, ScalarList } from './scalar-field.tsx';
import { retested } from './tree.ts';
import type { SuggestedValue } from './use-suggested.ts';
import { WordInput, WordMoment, WordSelect } from './word-fields.tsx';
import { TESTS, unitOf } from './words.ts';
import { within } from './written.ts';

/** The API has one test `exists` with true or false; the editor shows two tests. */
type Choice = TestName | 'missing';

const WORDS = Object.fromEntries(Object.entries(TESTS).map(([name, { words }]) => [name, words]));

const CHOICES = { ...WORDS, missing: 'does not exist' } as Readonly<Record<Choice, string>>;

/** The tests whose result does not change with time. */
const { withinDays: _, ...TIMELESS } = CHOICES;

interface TestFieldsProps {
  readonly is: TestDraft;
  readonly path: string;
  /** The query for suggested values; null until a property or trait is named. */
  readonly seen: SuggestionsQuery | null;
  readonly onChange: (is: TestDraft) => void;
  /** True: leaves out the tests whose result changes with time. */
  readonly isTimeless?: boolean;
}

/** The test of a value. */
export function TestFields({ is, path, seen, onChange, isTimeless = false }: TestFieldsProps): ReactElement {
  const [value] = is.values;
  const isMissing = is.name === 'exists' && value?.type === 'false';
  const choose = (choice: Choice): void =>
    onChange(choice === 'missing' ? retested(is, 'exists', false) : retested(is, choice));
  return (
    <>
      <WordSelect
        label="Test"
        value={isMissing ? 'missing' : is.name}
        choices={isTimeless ? (TIMELESS as typeof CHOICES) : CHOICES}
        path={path}
        onChange={choose}
      />
      <Compared is={is} path={within(path, is.name)} seen={seen} onChange={onChange} />
    </>
  );
}

function Compared({ is, path, seen, onChange }: TestFieldsProps): ReactElement | null {
  const [value] = is.values;
  const { operand } = TESTS[is.name];
  if (operand === 'scalars') {
    return <ScalarList values={is.values} path={path} seen={seen} onChange={(values) => onChange({ ...is, values })} />;
  }
  if (operand === 'flag' || !value) return null;
  const change = (text: string): void => onChange({ ...is, values: [{ ...value, text }] });
  switch (operand) {
    case 'scalar':
      return (
        <ScalarField
          value={value}
          label="Value"
          path={path}
          seen={seen}
          onChange={(changed) => onChange({ ...is, values: [changed] })}
        />
      );
    case 'text':
    case 'number':
      return (
        <WordInput
          label="Value"
          value={value.text}
          path={path}
          placeholder={`a ${operand}`}
          seen={seen}
          fits={operand === 'text' ? isText : isNumber}
          isNumber={operand === 'number'}
          onChange={change}
        />
      );
    case 'instant':
      return <WordMoment label="Moment" value={value.text} path={path} onChange={change} />;
    case 'days':
      return (
        <>
          <WordInput label="Days" value={value.text} path={path} isNumber onChange={change} />
          <span>{unitOf(value.text, 'day')}</span>
        </>
      );
    default:
      return operand satisfies never;
  }
}

function isText(value: SuggestedValue): boolean {
  return typeof value === 'string';
}

function isNumber(value: SuggestedValue): boolean {
  return typeof value === 'number';
}
