import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useContext } from 'react';
import { audiencesApi } from '../api/definitions.ts';
import {
  type CountDraft,
  type Draft,
  type FieldDraft,
  type GroupDraft,
  newCondition,
  newSelection,
  newTest,
} from './draft.ts';
import { EventFields } from './event-fields.tsx';
import { FieldsContext } from './fields-context.ts';
import { TestFields } from './test-fields.tsx';
import { useTree } from './tree-context.ts';
import { WordInput, WordSelect } from './word-fields.tsx';
import { COUNT_WORDS, type CountName, unitOf } from './words.ts';
import { within } from './written.ts';

type Leaf = Exclude<Draft, GroupDraft | FieldDraft>;

const KINDS = {
  track: 'did',
  page: 'viewed a page',
  screen: 'viewed a screen',
  trait: 'trait',
  groupTrait: 'group trait',
  audience: 'is in the audience',
} as const;

type Kind = keyof typeof KINDS;

/** The fields in a condition's sentence. */
export function ConditionFields({ draft, path }: { readonly draft: Leaf; readonly path: string }): ReactElement {
  const { change } = useTree();
  const kind = draft.kind === 'event' ? (draft.event.type ?? 'track') : draft.kind;
  return (
    <>
      <WordSelect
        label="Kind of condition"
        value={kind}
        choices={KINDS}
        onChange={(chosen) => change(changed(draft, chosen))}
      />
      {(draft.kind === 'trait' || draft.kind === 'groupTrait') && (
        <>
          <WordInput
            label="Trait"
            value={draft.name}
            path={within(path, draft.kind)}
            placeholder="name of the trait"
            seen={{ of: draft.kind }}
            onChange={(name) => change({ ...draft, name })}
          />
          <TestFields
            is={draft.is}
            path={within(path, 'is')}
            seen={draft.name === '' ? null : { of: draft.kind, name: draft.name }}
            onChange={(is) => change({ ...draft, is })}
          />
        </>
      )}
      {draft.kind === 'event' && (
        <EventFields
          event={draft.event}
          during={draft.during}
          path={path}
          onChange={(part) => change({ ...draft, ...part })}
        >
          <CountFields
            count={draft.count}
            path={within(path, 'count')}
            onChange={(count) => change({ ...draft, count })}
          />
        </EventFields>
      )}
      {draft.kind === 'audience' && (
        <AudienceSelect id={draft.id} path={within(path, 'audience')} onChange={(id) => change({ ...draft, id })} />
      )}
    </>
  );
}

/** Changes a condition to another kind. Between kinds of events, everything but the event's name is kept. */
function changed(draft: Leaf, kind: Kind): Draft {
  const { key, negations } = draft;
  switch (kind) {
    case 'track':
    case 'page':
    case 'screen': {
      const named = { type: kind === 'track' ? null : kind, name: kind === 'track' ? '' : null } as const;
      if (draft.kind === 'event') return { ...draft, event: { ...draft.event, ...named } };
      return { ...newCondition(), key, negations, event: { ...newSelection(), ...named } };
    }
    case 'trait':
    case 'groupTrait':
      if (draft.kind === 'trait' || draft.kind === 'groupTrait') return { ...draft, kind };
      return { key, negations, kind, name: '', is: newTest() };
    case 'audience':
      return { key, negations, kind, id: '' };
    default:
      return kind satisfies never;
  }
}

const CHOICES: Readonly<Record<CountName | 'once', string>> = { once: 'at least once', ...COUNT_WORDS };

/** The count of a new condition. */
const TIMES = '2';

interface CountFieldsProps {
  readonly count: CountDraft | null;
  readonly path: string;
  readonly onChange: (count: CountDraft | null) => void;
}

/** How often the event must occur. */
function CountFields({ count, path, onChange }: CountFieldsProps): ReactElement {
  const choose = (name: CountName | 'once'): void =>
    onChange(name === 'once' ? null : { name, times: count?.times ?? TIMES });
  return (
    <>
      <WordSelect label="How often" value={count?.name ?? 'once'} choices={CHOICES} path={path} onChange={choose} />
      {count && (
        <>
          <WordInput
            label="Times"
            value={count.times}
            path={within(path, count.name)}
            isNumber
            onChange={(times) => onChange({ ...count, times })}
          />
          <span>{unitOf(count.times, 'time')}</span>
        </>
      )}
    </>
  );
}

interface AudienceSelectProps {
  readonly id: string;
  readonly path: string;
  readonly onChange: (id: string) => void;
}

/** Chooses an audience, except the one that is being edited. */
function AudienceSelect({ id, path, onChange }: AudienceSelectProps): ReactElement {
  const { edited } = useContext(FieldsContext);
  const { data = [] } = useQuery(audiencesApi.names());
  const others = data.filter((audience) => audience.id !== edited || audience.id === id);
  const choices = {
    ...(others.some((audience) => audience.id === id) ? {} : { [id]: id === '' ? 'choose one' : id }),
    ...Object.fromEntries(others.map((audience) => [audience.id, audience.name])),
  };
  return <WordSelect label="Audience" value={id} choices={choices} path={path} onChange={onChange} />;
}
