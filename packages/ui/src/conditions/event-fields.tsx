import { randomId } from '@mantine/hooks';
import { IconX } from '@tabler/icons-react';
import type { ReactElement, ReactNode } from 'react';
import type { SuggestionsQuery } from '../api/suggestions.ts';
import { AddButton } from '../components/add-button.tsx';
import { IconButton } from '../components/icon-button.tsx';
import classes from './builder.module.css';
import { DAYS, newTest, type PeriodDraft, type SelectionDraft, typed, type WhereDraft } from './draft.ts';
import { useField } from './fields-context.ts';
import { TestFields } from './test-fields.tsx';
import { within } from './tree.ts';
import { WordInput, WordMoment, WordSelect } from './word-fields.tsx';

interface EventFieldsProps {
  /** The path of the part that selects events; empty for the definition itself. */
  readonly path: string;
  /** Shown after the name: how often. */
  readonly children?: ReactNode;
}

/** Selects events, and the period in which they occur. */
export function EventFields({ path, children }: EventFieldsProps): ReactElement {
  return (
    <>
      <EventName path={within(path, 'event')} />
      {children}
      <PeriodFields path={within(path, 'during')} />
      <WhereFields path={within(path, 'event')} />
    </>
  );
}

interface PartProps {
  readonly path: string;
}

/** The name of a track event, a page or a screen. Pages and screens may have any name. */
function EventName({ path }: PartProps): ReactElement {
  const [{ type = 'track', name }] = useField<SelectionDraft>(path);
  const at = within(path, 'name');
  const [, rename] = useField<string | undefined>(at);
  const seen = { of: 'event', type } as const;
  if (type === 'track') return <WordInput label="Event name" path={at} placeholder="event" seen={seen} />;
  return (
    <>
      <WordSelect
        label={`Which ${type}`}
        value={name === undefined ? 'any' : 'named'}
        choices={{ any: 'of any name', named: 'named' }}
        onChange={(which) => rename(which === 'any' ? undefined : '')}
      />
      {name !== undefined && (
        <WordInput label={`Name of the ${type}`} path={at} placeholder={`name of the ${type}`} seen={seen} />
      )}
    </>
  );
}

const KINDS = {
  ever: 'at any time',
  last: 'in the last',
  between: 'between',
  since: 'since',
  until: 'before',
} as const;
const UNITS = { lastDays: 'days', lastHours: 'hours' } as const;

/** The period. */
function PeriodFields({ path }: PartProps): ReactElement {
  const [during, change] = useField<PeriodDraft | undefined>(path);
  const { lastDays, lastHours, from, to } = during ?? {};
  const length = lastDays ?? lastHours;
  const unit = lastHours ? 'lastHours' : 'lastDays';
  return (
    <>
      <WordSelect
        label="When"
        value={kindOf(during)}
        choices={KINDS}
        path={path}
        onChange={(kind) => change(changed(during, kind))}
      />
      {length && (
        <>
          <WordInput label="How many" path={within(path, unit)} isNumber />
          <WordSelect label="Unit" value={unit} choices={UNITS} onChange={(chosen) => change({ [chosen]: length })} />
        </>
      )}
      {from !== undefined && <WordMoment label="From" path={within(path, 'from')} />}
      {from !== undefined && to !== undefined && <span>and</span>}
      {to !== undefined && <WordMoment label="To" path={within(path, 'to')} />}
    </>
  );
}

function kindOf(during: PeriodDraft | undefined): keyof typeof KINDS {
  if (!during) return 'ever';
  if (during.lastDays || during.lastHours) return 'last';
  if (during.from !== undefined && during.to !== undefined) return 'between';
  return during.from === undefined ? 'until' : 'since';
}

/** Changes a period to another kind. Keeps its known ends. */
function changed(during: PeriodDraft | undefined, kind: keyof typeof KINDS): PeriodDraft | undefined {
  if (kind === 'ever') return undefined;
  if (kind === 'last') return during?.lastHours ? during : { lastDays: typed('number', DAYS) };
  const { from = '', to = '' } = during ?? {};
  return { ...(kind !== 'until' && { from }), ...(kind !== 'since' && { to }) };
}

/** Tests on the event's properties; all of them must hold. */
function WhereFields({ path }: PartProps): ReactElement {
  const [event] = useField<SelectionDraft>(path);
  const at = within(path, 'where');
  const [where = [], change] = useField<readonly WhereDraft[] | undefined>(at);
  const seen = propertiesOf(event);
  const add = (): void => change([...where, { key: randomId(), property: '', is: newTest() }]);
  const remove = (part: WhereDraft): void => {
    const others = where.filter((other) => other !== part);
    change(others.length > 0 ? others : undefined);
  };
  return (
    <>
      {where.map((part, i) => {
        const place = within(at, i);
        return (
          <fieldset key={part.key} className={classes['where']} aria-label={`Property ${i + 1}`}>
            <span>{i === 0 ? 'where' : 'and'}</span>
            <WordInput label="Property" path={within(place, 'property')} placeholder="property" seen={seen} />
            <TestFields
              path={within(place, 'is')}
              seen={seen === null || part.property === '' ? null : { ...seen, name: part.property }}
            />
            <IconButton
              className={classes['icon'] ?? ''}
              icon={IconX}
              label={`Remove property ${i + 1}`}
              onClick={() => remove(part)}
            />
          </fieldset>
        );
      })}
      <AddButton variant="subtle" size="compact-xs" onClick={add}>
        {where.length === 0 ? 'where' : 'and'}
      </AddButton>
    </>
  );
}

/** Suggests the properties of the selected events; null while no name is chosen. */
export function propertiesOf({ type = 'track', name }: SelectionDraft): PropertyQuery | null {
  return name === '' ? null : { of: 'property', type, ...(name !== undefined && { event: name }) };
}

type PropertyQuery = Extract<SuggestionsQuery, { readonly of: 'property' }>;
