import type { ReactElement } from 'react';
import { AudienceSelect } from './audience-select.tsx';
import { CountFields } from './count-fields.tsx';
import { type Draft, type FieldDraft, type GroupDraft, newCondition, newSelection, newTest } from './draft.ts';
import { EventName } from './event-name.tsx';
import { PeriodFields } from './period-fields.tsx';
import { TestFields } from './test-fields.tsx';
import { useTree } from './tree-context.ts';
import { WhereFields } from './where-fields.tsx';
import { WordInput } from './word-input.tsx';
import { WordSelect } from './word-select.tsx';
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

/** The words of a condition's sentence. */
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
        <>
          <EventName
            event={draft.event}
            path={within(path, 'event')}
            onChange={(event) => change({ ...draft, event })}
          />
          <CountFields
            count={draft.count}
            path={within(path, 'count')}
            onChange={(count) => change({ ...draft, count })}
          />
          <PeriodFields
            during={draft.during}
            path={within(path, 'during')}
            onChange={(during) => change({ ...draft, during })}
          />
          <WhereFields
            event={draft.event}
            path={within(path, 'event')}
            onChange={(event) => change({ ...draft, event })}
          />
        </>
      )}
      {draft.kind === 'audience' && (
        <AudienceSelect id={draft.id} path={within(path, 'audience')} onChange={(id) => change({ ...draft, id })} />
      )}
    </>
  );
}

/** Another kind of condition in the same place; of events everything but the name stays. */
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
