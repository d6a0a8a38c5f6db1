import { type ReactElement, useRef } from 'react';
import classes from './builder.module.css';
import type { SelectionDraft } from './draft.ts';
import { EventFields, propertiesOf } from './event-fields.tsx';
import { useField } from './fields-context.ts';
import { ProblemList } from './problem-list.tsx';
import { WordInput, WordSelect } from './word-fields.tsx';
import { COMPUTES, type ComputeName } from './words.ts';

const CHOICES = Object.fromEntries(Object.entries(COMPUTES).map(([name, { words }]) => [name, words])) as Record<
  ComputeName,
  string
>;
const EVENTS = { track: 'the event', page: 'views of a page', screen: 'views of a screen' } as const;

/** The sentence of a computed trait, edited in place. */
export function ComputationBuilder(): ReactElement {
  const [computation, setComputation] = useField<Partial<Record<ComputeName, string | true>>>('compute');
  const [event, setEvent] = useField<SelectionDraft>('event');
  const compute = (Object.keys(computation).find((name) => name in COMPUTES) ?? 'count') as ComputeName;
  // The property is kept while the computation needs none.
  const property = useRef('');
  if (compute !== 'count') property.current = String(computation[compute]);
  const { link } = COMPUTES[compute];
  const choose = (name: ComputeName): void => setComputation({ [name]: name === 'count' || property.current });
  const retype = (type: keyof typeof EVENTS): void =>
    setEvent({ where: event.where, ...(type === 'track' ? { name: '' } : { type }) });
  return (
    <fieldset className={classes['row']} aria-label="Computation">
      <div className={classes['sentence']}>
        <WordSelect label="Computation" value={compute} choices={CHOICES} path="compute" onChange={choose} />
        {link !== '' && <span>{link}</span>}
        {compute !== 'count' && (
          <>
            <WordInput label="Property" path={`compute.${compute}`} placeholder="property" seen={propertiesOf(event)} />
            <span>over</span>
          </>
        )}
        <WordSelect label="Kind of event" value={event.type ?? 'track'} choices={EVENTS} onChange={retype} />
        <EventFields path="" />
        <ProblemList path="" />
      </div>
    </fieldset>
  );
}
