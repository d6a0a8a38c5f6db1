import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useContext } from 'react';
import { audiencesApi } from '../api/definitions.ts';
import { type CountDraft, type LeafDraft, newTest, typed } from './draft.ts';
import { EventFields } from './event-fields.tsx';
import { FieldsContext, useField } from './fields-context.ts';
import { TestFields } from './test-fields.tsx';
import { within } from './tree.ts';
import { WordInput, WordSelect } from './word-fields.tsx';
import { COUNT_WORDS, type CountName, unitOf } from './words.ts';

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
export function ConditionFields({ path }: { readonly path: string }): ReactElement {
  const [draft, change] = useField<LeafDraft>(path);
  const kind = kindOf(draft);
  return (
    <>
      <WordSelect
        label="Kind of condition"
        value={kind}
        choices={KINDS}
        onChange={(chosen) => change(changed(draft, chosen))}
      />
      {(kind === 'trait' || kind === 'groupTrait') && (
        <>
          <WordInput label="Trait" path={within(path, kind)} placeholder="name of the trait" seen={{ of: kind }} />
          <TestFields
            path={within(path, 'is')}
            seen={traitIn(draft) === '' ? null : { of: kind, name: traitIn(draft) }}
          />
        </>
      )}
      {'event' in draft && (
        <EventFields path={path}>
          <CountFields path={within(path, 'count')} />
        </EventFields>
      )}
      {kind === 'audience' && <AudienceSelect path={within(path, 'audience')} />}
    </>
  );
}

function kindOf(draft: LeafDraft): Kind {
  if ('event' in draft) return draft.event.type ?? 'track';
  if ('audience' in draft) return 'audience';
  return 'groupTrait' in draft ? 'groupTrait' : 'trait';
}

function traitIn(draft: LeafDraft): string {
  if ('trait' in draft) return draft.trait;
  return 'groupTrait' in draft ? draft.groupTrait : '';
}

/** Changes a condition to another kind. Between kinds of events, everything but the event's name is kept. */
function changed(draft: LeafDraft, kind: Kind): LeafDraft {
  const { key } = draft;
  switch (kind) {
    case 'track':
    case 'page':
    case 'screen': {
      const named = kind === 'track' ? { name: '' } : { type: kind };
      return 'event' in draft ? { ...draft, event: { where: draft.event.where, ...named } } : { key, event: named };
    }
    case 'trait':
    case 'groupTrait': {
      const is = 'is' in draft ? draft.is : newTest();
      return kind === 'trait' ? { key, trait: traitIn(draft), is } : { key, groupTrait: traitIn(draft), is };
    }
    case 'audience':
      return { key, audience: '' };
    default:
      return kind satisfies never;
  }
}

const CHOICES: Readonly<Record<CountName | 'once', string>> = { once: 'at least once', ...COUNT_WORDS };

/** How often the event must occur. A new count is 2. */
function CountFields({ path }: { readonly path: string }): ReactElement {
  const [count, change] = useField<CountDraft | undefined>(path);
  const name = (Object.keys(count ?? {}).find((each) => each in COUNT_WORDS) ?? 'once') as CountName | 'once';
  const times = name === 'once' ? undefined : count?.[name];
  return (
    <>
      <WordSelect
        label="How often"
        value={name}
        choices={CHOICES}
        path={path}
        onChange={(chosen) => change(chosen === 'once' ? undefined : { [chosen]: times ?? typed('number', '2') })}
      />
      {times && (
        <>
          <WordInput label="Times" path={within(path, name)} isNumber />
          <span>{unitOf(times.text, 'time')}</span>
        </>
      )}
    </>
  );
}

/** Chooses an audience, except the one that is being edited. */
function AudienceSelect({ path }: { readonly path: string }): ReactElement {
  const [id, change] = useField<string>(path);
  const { edited } = useContext(FieldsContext);
  const { data = [] } = useQuery(audiencesApi.names());
  const others = data.filter((audience) => audience.id !== edited || audience.id === id);
  const choices = {
    ...(others.some((audience) => audience.id === id) ? {} : { [id]: id === '' ? 'choose one' : id }),
    ...Object.fromEntries(others.map((audience) => [audience.id, audience.name])),
  };
  return <WordSelect label="Audience" value={id} choices={choices} path={path} onChange={change} />;
}
