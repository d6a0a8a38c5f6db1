import type { ReactElement } from 'react';
import type { SelectionDraft } from './draft.ts';
import { WordInput } from './word-input.tsx';
import { WordSelect } from './word-select.tsx';
import { within } from './written.ts';

interface EventNameProps {
  readonly event: SelectionDraft;
  readonly path: string;
  readonly onChange: (event: SelectionDraft) => void;
}

/** The name of a track event, or of a page or a screen, which may be any. */
export function EventName({ event, path, onChange }: EventNameProps): ReactElement {
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
