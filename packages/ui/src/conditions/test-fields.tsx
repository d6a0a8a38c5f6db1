import { type ReactElement, useRef } from 'react';
import type { TestName } from '../../../server/src/admin/contract.ts';
import type { SuggestionsQuery } from '../api/suggestions.ts';
import type { TestDraft } from './draft.ts';
import { useField } from './fields-context.ts';
import { ScalarField, ScalarList } from './scalar-field.tsx';
import { retested, testIn, within } from './tree.ts';
import type { SuggestedValue } from './use-suggested.ts';
import { textIn, WordInput, WordMoment, WordSelect } from './word-fields.tsx';
import { TESTS, unitOf } from './words.ts';

/** The API has one test `exists` with true or false; the editor shows two tests. */
type Choice = TestName | 'missing';

const WORDS = Object.fromEntries(Object.entries(TESTS).map(([name, { words }]) => [name, words]));

const CHOICES = { ...WORDS, missing: 'does not exist' } as Readonly<Record<Choice, string>>;

/** The tests whose result does not change with time. */
const { withinDays: _, ...TIMELESS } = CHOICES;

interface TestFieldsProps {
  readonly path: string;
  /** The query for suggested values; null until a property or trait is named. */
  readonly seen: SuggestionsQuery | null;
  /** True: leaves out the tests whose result changes with time. */
  readonly isTimeless?: boolean;
}

/** The test of a value. */
export function TestFields({ path, seen, isTimeless = false }: TestFieldsProps): ReactElement {
  const [is, change] = useField<TestDraft>(path);
  const [name] = testIn(is);
  // The values are kept while the test needs none.
  const compared = useRef(is);
  if (name !== 'exists') compared.current = is;
  const choose = (choice: Choice): void =>
    change(choice === 'missing' ? retested(is, 'exists', false) : retested(compared.current, choice));
  return (
    <>
      <WordSelect
        label="Test"
        value={is.exists === false ? 'missing' : name}
        choices={isTimeless ? (TIMELESS as typeof CHOICES) : CHOICES}
        path={path}
        onChange={choose}
      />
      <Compared path={within(path, name)} seen={seen} name={name} />
    </>
  );
}

interface ComparedProps extends Omit<TestFieldsProps, 'isTimeless'> {
  readonly name: TestName;
}

function Compared({ path, seen, name }: ComparedProps): ReactElement | null {
  const [value] = useField<TestDraft[TestName]>(path);
  const { operand } = TESTS[name];
  switch (operand) {
    case 'scalars':
      return <ScalarList path={path} seen={seen} />;
    case 'scalar':
      return <ScalarField label="Value" path={path} seen={seen} />;
    case 'text':
    case 'number':
      return (
        <WordInput
          label="Value"
          path={path}
          placeholder={`a ${operand}`}
          seen={seen}
          fits={operand === 'text' ? isText : isNumber}
          isNumber={operand === 'number'}
        />
      );
    case 'instant':
      return <WordMoment label="Moment" path={path} />;
    case 'days':
      return (
        <>
          <WordInput label="Days" path={path} isNumber />
          <span>{unitOf(textIn(value), 'day')}</span>
        </>
      );
    case 'flag':
      return null;
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
