import { Select, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ReactElement, useRef } from 'react';
import type { Destination, FoundEvent, MessageChoice } from '../../../../server/src/admin/contract.ts';
import { eventsApi } from '../../api/events.ts';
import { sourcesApi } from '../../api/sources.ts';
import { LineErrors } from '../../components/line-errors.tsx';
import { jsonFault } from '../../format/json-fault.ts';
import { localMinute } from '../../format/moment.ts';
import { shortened } from '../../format/shortened.ts';
import { EXAMPLE_CALLS, written } from './example-calls.ts';

interface EventChooserProps {
  readonly destination: Destination;
  readonly value: MessageChoice;
  readonly onChange: (choice: MessageChoice) => void;
}

/** Chooses an accepted event: a recent one of a source, or any by its messageId. */
export function EventChooser({ destination, value, onChange }: EventChooserProps): ReactElement {
  const { data: sources = [] } = useQuery(sourcesApi.list());
  const sourceId = value.sourceId ?? '';
  const { data, isFetching } = useInfiniteQuery({ ...eventsApi.search({ sourceId }), enabled: sourceId !== '' });
  const events = (data?.pages[0]?.items ?? []).slice(0, SHOWN);
  const isConnected = (id: string): boolean => destination.sourceIds.includes(id);
  const choose = (event: FoundEvent | undefined): void => {
    if (event === undefined) return;
    const { messageId, position } = event;
    onChange({ messageId, sourceId, position });
  };
  return (
    <SimpleGrid cols={{ base: 1, md: 3 }} spacing="sm">
      <Select
        label="Source"
        placeholder="Choose a source"
        searchable
        data={sources
          .toSorted((a, b) => Number(isConnected(b.id)) - Number(isConnected(a.id)))
          .map(({ id, name }) => ({ value: id, label: isConnected(id) ? name : `${name} (not connected)` }))}
        value={sourceId || null}
        onChange={(chosen) => onChange({ messageId: '', ...(chosen !== null && { sourceId: chosen }) })}
      />
      <Select
        label="Event"
        placeholder={isFetching ? 'Looking…' : events.length === 0 ? 'None' : `One of the last ${events.length}`}
        disabled={events.length === 0}
        data={events.map((event, place) => ({ value: String(place), label: inWords(event) }))}
        value={placeOf(events, value)}
        onChange={(place) => choose(events[Number(place ?? -1)])}
      />
      <TextInput
        label="messageId"
        placeholder="Or paste one"
        value={value.messageId}
        onChange={({ currentTarget }) =>
          onChange({ messageId: currentTarget.value.trim(), ...(sourceId !== '' && { sourceId }) })
        }
      />
    </SimpleGrid>
  );
}

const SHOWN = 20;

function placeOf(events: readonly FoundEvent[], { position }: MessageChoice): string | null {
  const place = events.findIndex((event) => event.position === position);
  return place === -1 ? null : String(place);
}

function inWords({ type, event, userId, receivedAt }: FoundEvent): string {
  const who = userId === null ? 'anonymous' : shortened(userId);
  return [shortened(event ?? type), who, localMinute(new Date(receivedAt))].join(' · ');
}

interface CallEditorProps {
  readonly text: string;
  readonly onChange: (text: string) => void;
}

/** Edits a call as JSON, starting from an example. An error in the JSON is shown with its line. */
export function CallEditor({ text, onChange }: CallEditorProps): ReactElement {
  const input = useRef<HTMLTextAreaElement>(null);
  const fault = jsonFault(text);
  const example = Object.keys(EXAMPLE_CALLS).find((type) => written(EXAMPLE_CALLS[type] ?? {}) === text);
  return (
    <Stack gap="sm">
      <Select
        label="Example"
        data={Object.keys(EXAMPLE_CALLS)}
        value={example ?? null}
        placeholder="Your own"
        allowDeselect={false}
        maw={240}
        onChange={(type) => type !== null && onChange(written(EXAMPLE_CALLS[type] ?? {}))}
      />
      <Textarea
        ref={input}
        label="Payload"
        description="A call as a client sends it, with its type: at most 32 KB. A messageId, times and the rest are added as for any call."
        autosize
        minRows={8}
        maxRows={24}
        value={text}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        error={fault && <LineErrors errors={[{ path: '', ...fault }]} input={input} />}
      />
    </Stack>
  );
}
