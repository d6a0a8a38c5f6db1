import type { ReactElement } from 'react';
import type { SuggestionsQuery } from '../api/suggestions.ts';
import classes from './builder.module.css';
import { ConditionActions, NotToggle } from './condition-actions.tsx';
import { ConditionFields } from './condition-fields.tsx';
import type { Draft } from './draft.ts';
import { useField } from './fields-context.ts';
import { ProblemList, useOwnProblems } from './problem-list.tsx';
import { TestFields } from './test-fields.tsx';
import { inside, numberOf, within } from './tree.ts';
import { WordInput, WordSelect } from './word-fields.tsx';

/** One condition as a sentence, edited in place. `path`: its path in the definition, as the API names it. */
export function ConditionRow({ path }: { readonly path: string }): ReactElement {
  const { inner, path: innerPath } = inside(useField<Draft>(path)[0], path);
  const number = numberOf(path) || '1';
  const name = `condition ${number}`;
  const isWrong = useOwnProblems(path).length > 0;
  return (
    <fieldset
      className={classes['row']}
      aria-label={`Condition ${number}`}
      data-condition={inner.key}
      data-wrong={isWrong || undefined}
    >
      <div className={classes['sentence']}>
        <NotToggle path={path} name={name} />
        {'field' in inner ? <CallFields path={innerPath} /> : <ConditionFields path={innerPath} />}
        <ProblemList path={path} />
      </div>
      <ConditionActions path={path} name={name} />
    </fieldset>
  );
}

const WORDS = {
  event: 'event name',
  type: 'type of call',
  name: 'page or screen name',
  userId: 'user id',
  anonymousId: 'anonymous id',
  groupId: 'group id',
  source: 'id of the source',
} as const;

const OBJECTS = { properties: 'property', traits: 'trait', context: 'context' } as const;

const CHOICES = { ...WORDS, ...OBJECTS };

type Choice = keyof typeof CHOICES;

/** The fields of a condition about a call. */
function CallFields({ path }: { readonly path: string }): ReactElement {
  const at = within(path, 'field');
  const [field, change] = useField<string>(at);
  const [first = '', ...names] = field.split('.');
  const choice = Object.hasOwn(CHOICES, first) ? (first as Choice) : 'properties';
  const deeper = names.join('.');
  const choose = (chosen: Choice, below = deeper): void => change(chosen in OBJECTS ? `${chosen}.${below}` : chosen);
  const seen = seenAt(choice);
  return (
    <>
      <WordSelect
        label="Field of the call"
        value={choice}
        choices={CHOICES}
        {...(choice in WORDS && { path: at })}
        onChange={(chosen) => choose(chosen)}
      />
      {choice in OBJECTS && (
        <WordInput
          label="Name"
          path={at}
          placeholder="name"
          seen={seen}
          value={deeper}
          onChange={(below) => choose(choice, below)}
        />
      )}
      <TestFields path={within(path, 'is')} seen={valuesAt(choice, deeper, seen)} isTimeless />
    </>
  );
}

/** The kind of names to suggest below a field of the call; null if the field has no names below it. */
function seenAt(choice: Choice): Named | null {
  if (choice === 'properties') return { of: 'property', type: 'track' };
  return choice === 'traits' ? { of: 'trait' } : null;
}

function valuesAt(choice: Choice, deeper: string, named: Named | null): SuggestionsQuery | null {
  if (choice === 'event') return { of: 'event', type: 'track' };
  if (choice === 'name') return { of: 'event', type: 'page' };
  return named && deeper !== '' ? { ...named, name: deeper } : null;
}

type Named = Exclude<SuggestionsQuery, { readonly of: 'event' }>;
