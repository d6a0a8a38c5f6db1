import type { ReactElement } from 'react';
import classes from './builder.module.css';
import type { ComputationDraft } from './draft.ts';
import { EventFields, propertiesOf } from './event-fields.tsx';
import { ProblemList } from './problem-list.tsx';
import { WordInput, WordSelect } from './word-fields.tsx';
import { COMPUTES, type ComputeName } from './words.ts';

const CHOICES = Object.fromEntries(Object.entries(COMPUTES).map(([name, { words }]) => [name, words])) as Record<
  ComputeName,
  string
>;
const EVENTS = { track: 'the event', page: 'views of a page', screen: 'views of a screen' } as const;

interface ComputationBuilderProps {
  readonly draft: ComputationDraft;
  readonly onChange: (draft: ComputationDraft) => void;
}

/** The sentence of a computed trait, edited in place. */
export function ComputationBuilder({ draft, onChange }: ComputationBuilderProps): ReactElement {
  const { compute, event } = draft;
  const { link } = COMPUTES[compute];
  const retype = (type: keyof typeof EVENTS): void => {
    const named = type === 'track' ? { type: null, name: '' } : { type, name: null };
    onChange({ ...draft, event: { ...event, ...named } });
  };
  return (
    <fieldset className={classes['row']} aria-label="Computation">
      <div className={classes['sentence']}>
        <WordSelect
          label="Computation"
          value={compute}
          choices={CHOICES}
          path="compute"
          onChange={(chosen) => onChange({ ...draft, compute: chosen })}
        />
        {link !== '' && <span>{link}</span>}
        {compute !== 'count' && (
          <>
            <WordInput
              label="Property"
              value={draft.property}
              path={`compute.${compute}`}
              placeholder="property"
              seen={propertiesOf(event)}
              onChange={(property) => onChange({ ...draft, property })}
            />
            <span>over</span>
          </>
        )}
        <WordSelect label="Kind of event" value={event.type ?? 'track'} choices={EVENTS} onChange={retype} />
        <EventFields event={event} during={draft.during} path="" onChange={(part) => onChange({ ...draft, ...part })} />
        <ProblemList path="" />
      </div>
    </fieldset>
  );
}
