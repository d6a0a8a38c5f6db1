import { IconX } from '@tabler/icons-react';
import type { ReactElement, ReactNode } from 'react';
import type { SuggestionsQuery } from '../api/suggestions.ts';
import { AddButton } from '../components/add-button.tsx';
import { IconButton } from '../components/icon-button.tsx';
import classes from './builder.module.css';
import { DAYS, newWhere, type PeriodDraft, type SelectionDraft, type WhereDraft } from './draft.ts';
import { TestFields } from './test-fields.tsx';
import { WordInput, WordMoment, WordSelect } from './word-fields.tsx';
import { within } from './written.ts';

interface EventFieldsProps {
  readonly event: SelectionDraft;
  readonly during: PeriodDraft;
  /** The path of the part that selects events; empty for the definition itself. */
  readonly path: string;
  readonly onChange: (part: { readonly event: SelectionDraft } | { readonly during: PeriodDraft }) => void;
  /** Shown after the name: how often. */
  readonly children?: ReactNode;
}

/** Selects events, and the period in which they occur. */
export function EventFields({ event, during, path, onChange, children }: EventFieldsProps): ReactElement {
  const selection = { event, path: within(path, 'event'), onChange: (event: SelectionDraft) => onChange({ event }) };
  return (
    <>
      <EventName {...selection} />
      {children}
      <PeriodFields during={during} path={within(path, 'during')} onChange={(during) => onChange({ during })} />
      <WhereFields {...selection} />
    </>
  );
}

interface SelectionProps {
  readonly event: SelectionDraft;
  readonly path: string;
  readonly onChange: (event: SelectionDraft) => void;
}

/** The name of a track event, a page or a screen. Pages and screens may have any name. */
function EventName({ event, path, onChange }: SelectionProps): ReactElement {
  const at = within(path, 'name');
  if (event.type !== 'page' && event.type !== 'screen') {
    return (
      <WordInput
        label="Event name"
        value={event.name ?? ''}
        path={at}
        placeholder="event"
        seen={{ of: 'event', type: 'track' }}
        onChange={(name) => onChange({ ...event, name })}
      />
    );
  }
  return (
    <>
      <WordSelect
        label={`Which ${event.type}`}
        value={event.name === null ? 'any' : 'named'}
        choices={{ any: 'of any name', named: 'named' }}
        onChange={(which) => onChange({ ...event, name: which === 'any' ? null : '' })}
      />
      {event.name !== null && (
        <WordInput
          label={`Name of the ${event.type}`}
          value={event.name}
          path={at}
          placeholder={`name of the ${event.type}`}
          seen={{ of: 'event', type: event.type }}
          onChange={(name) => onChange({ ...event, name })}
        />
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

interface PeriodFieldsProps {
  readonly during: PeriodDraft;
  readonly path: string;
  readonly onChange: (during: PeriodDraft) => void;
}

/** The period. */
function PeriodFields({ during, path, onChange }: PeriodFieldsProps): ReactElement {
  return (
    <>
      <WordSelect
        label="When"
        value={kindOf(during)}
        choices={KINDS}
        path={path}
        onChange={(kind) => onChange(changed(during, kind))}
      />
      {(during.kind === 'lastDays' || during.kind === 'lastHours') && (
        <>
          <WordInput
            label="How many"
            value={during.length}
            path={within(path, during.kind)}
            isNumber
            onChange={(length) => onChange({ ...during, length })}
          />
          <WordSelect
            label="Unit"
            value={during.kind}
            choices={UNITS}
            onChange={(kind) => onChange({ ...during, kind })}
          />
        </>
      )}
      {during.kind === 'between' && during.from !== null && (
        <WordMoment
          label="From"
          value={during.from}
          path={within(path, 'from')}
          onChange={(from) => onChange({ ...during, from })}
        />
      )}
      {during.kind === 'between' && during.from !== null && during.to !== null && <span>and</span>}
      {during.kind === 'between' && during.to !== null && (
        <WordMoment
          label="To"
          value={during.to}
          path={within(path, 'to')}
          onChange={(to) => onChange({ ...during, to })}
        />
      )}
    </>
  );
}

function kindOf(during: PeriodDraft): keyof typeof KINDS {
  if (during.kind === 'ever') return 'ever';
  if (during.kind !== 'between') return 'last';
  if (during.from !== null && during.to !== null) return 'between';
  return during.from === null ? 'until' : 'since';
}

/** Changes a period to another kind. Keeps its known ends. */
function changed(during: PeriodDraft, kind: keyof typeof KINDS): PeriodDraft {
  if (kind === 'ever') return { kind: 'ever' };
  if (kind === 'last') return during.kind === 'lastHours' ? during : { kind: 'lastDays', length: DAYS };
  const from = (during.kind === 'between' && during.from) || '';
  const to = (during.kind === 'between' && during.to) || '';
  return { kind: 'between', from: kind === 'until' ? null : from, to: kind === 'since' ? null : to };
}

/** Tests on the event's properties; all of them must hold. */
function WhereFields({ event, path, onChange }: SelectionProps): ReactElement {
  const seen = propertiesOf(event);
  const change = (where: readonly WhereDraft[]): void => onChange({ ...event, where });
  const replace = (changed: WhereDraft): void =>
    change(event.where.map((each) => (each.key === changed.key ? changed : each)));
  return (
    <>
      {event.where.map((part, i) => {
        const at = within(within(path, 'where'), i);
        return (
          <fieldset key={part.key} className={classes['where']} aria-label={`Property ${i + 1}`}>
            <span>{i === 0 ? 'where' : 'and'}</span>
            <WordInput
              label="Property"
              value={part.property}
              path={within(at, 'property')}
              placeholder="property"
              seen={seen}
              onChange={(property) => replace({ ...part, property })}
            />
            <TestFields
              is={part.is}
              path={within(at, 'is')}
              seen={seen === null || part.property === '' ? null : { ...seen, name: part.property }}
              onChange={(is) => replace({ ...part, is })}
            />
            <IconButton
              className={classes['icon'] ?? ''}
              icon={IconX}
              label={`Remove property ${i + 1}`}
              onClick={() => change(event.where.filter(({ key }) => key !== part.key))}
            />
          </fieldset>
        );
      })}
      <AddButton variant="subtle" size="compact-xs" onClick={() => change([...event.where, newWhere()])}>
        {event.where.length === 0 ? 'where' : 'and'}
      </AddButton>
    </>
  );
}

/** Suggests the properties of the selected events; null while no name is chosen. */
export function propertiesOf({ type, name }: SelectionDraft): PropertyQuery | null {
  if (name === '') return null;
  return { of: 'property', type: type ?? 'track', ...(name !== null && { event: name }) };
}

type PropertyQuery = Extract<SuggestionsQuery, { readonly of: 'property' }>;
