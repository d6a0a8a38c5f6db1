import { Alert, Button, Group, NumberInput, Select, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type ReactElement, useState } from 'react';
import type { EventSummary, NewReplay, ReplayPreview as Preview } from '../../../../server/src/admin/contract.ts';
import { replaysApi } from '../../api/replays.ts';
import { serviceNow } from '../../api/service-clock.ts';
import { choices } from '../../components/choices.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { IdleButton } from '../../components/idle-button.tsx';
import { Time } from '../../components/time.tsx';
import { TimeFilter } from '../../components/time-filter.tsx';
import { count } from '../../format/number.ts';
import { openBoundsOf, rangeFrom, searchFor, type Texts } from '../../format/range.ts';
import { shortened } from '../../format/shortened.ts';
import { useSubmit } from '../../forms/use-submit.ts';
import { useMayChange } from '../../shell/session.ts';
import { MessageLink } from '../messages/message-link.tsx';
import type { DeliverySearch } from './deliveries-table.tsx';
import { useOverview } from './use-overview.ts';

interface ReplayFormProps {
  readonly destinationId: string;
  readonly onStarted: (replayId: string) => void;
  /** The form's first values. */
  readonly preset: ReplayPreset;
  readonly onValues: (values: ReplayPreset) => void;
}

/** The values of the form as parameters of an address: they are there again on the way back. */
export type ReplayPreset = DeliverySearch & Texts<'error' | 'perSecond' | 'webhookId'>;

const DEFAULT_PER_SECOND = 100;
const ALL_URLS = 'all';

export const SWITCHED_OFF =
  'Nothing is sent to a destination that is switched off, and what failed stays here: switch it on first';

/** Style of the fields that select messages. */
const NARROW = { flex: '1 1 140px', maw: 240 };

const STATES = choices({ failed: 'What failed', all: 'Everything, in any state' });

/** What to send again, and how fast. The messages are counted first: the button says how many would be sent. */
export function ReplayForm({ destinationId, onStarted, preset, onValues }: ReplayFormProps): ReactElement {
  const mayStart = useMayChange();
  const [range, setRange] = useState(() => rangeFrom(preset));
  // A change makes the last count invalid.
  const form = useForm({
    initialValues: {
      state: (preset.state === 'all' ? 'all' : 'failed') as NewReplay['state'],
      filter: { event: preset.event ?? '', userId: preset.userId ?? '', error: preset.error ?? '' },
      perSecond: Number(preset.perSecond) || DEFAULT_PER_SECOND,
      webhookId: preset.webhookId ?? ALL_URLS,
    },
    onValuesChange: ({ filter, perSecond, ...values }) => {
      preview.forget();
      onValues({ ...values, ...filter, perSecond: String(perSecond) });
    },
  });
  const preview = useSubmit(form, replaysApi.preview());
  const create = useSubmit(form, replaysApi.create());
  const { answer: counted, sent } = preview;
  const refusal = preview.refusal ?? create.refusal;
  const overview = useOverview(destinationId).data;
  const urls = overview?.status.urls ?? [];
  const isOff = overview?.destination.health === 'off';

  const countThem = form.onSubmit(({ state, filter, perSecond, webhookId }) => {
    create.forget();
    preview.send({
      destinationId,
      state,
      perSecond,
      webhookId: webhookId === ALL_URLS ? null : webhookId,
      filter: {
        event: filter.event.trim() || null,
        userId: filter.userId.trim() || null,
        // Badges write it in upper case.
        error: state === 'failed' ? filter.error.trim().toLowerCase() || null : null,
      },
      ...(range && openBoundsOf(range, serviceNow())),
    });
  });

  return (
    <form onSubmit={countThem}>
      <Stack gap="sm">
        <Group gap="sm" align="flex-start">
          <Select
            label="Which"
            w={280}
            maw="100%"
            allowDeselect={false}
            data={STATES}
            {...form.getInputProps('state')}
          />
          <TextInput label="Event" placeholder="Any" {...NARROW} {...form.getInputProps('filter.event')} />
          <TextInput label="User id" placeholder="Any" {...NARROW} {...form.getInputProps('filter.userId')} />
          <TextInput
            label="Error"
            placeholder="Any, or 503, 4xx, timeout"
            {...NARROW}
            flex="1 1 220px"
            disabled={form.values.state !== 'failed'}
            {...form.getInputProps('filter.error')}
          />
          <TimeFilter
            value={range}
            onChange={(chosen) => {
              setRange(chosen);
              preview.forget();
              onValues(searchFor(chosen));
            }}
          />
          {(urls.length > 1 || form.values.webhookId !== ALL_URLS) && (
            <Select
              label="Send to"
              description="Where all URLs have to take a message, what has failed goes to all of them only."
              w={280}
              maw="100%"
              allowDeselect={false}
              data={[{ value: ALL_URLS, label: 'All URLs' }, ...urls.map(({ id, url }) => ({ value: id, label: url }))]}
              {...form.getInputProps('webhookId')}
            />
          )}
          <NumberInput label="Per second" w={120} min={0.1} max={10_000} {...form.getInputProps('perSecond')} />
        </Group>
        <Hindrance destinationId={destinationId} />
        {refusal !== null && <ErrorState error={refusal} />}
        <Group gap="xs">
          <IdleButton
            type="submit"
            idle={isOff}
            why={SWITCHED_OFF}
            variant={counted ? 'default' : 'filled'}
            loading={preview.busy}
          >
            {counted ? 'Count again' : 'Count them'}
          </IdleButton>
          {sent && counted && counted.count > 0 && mayStart && (
            <Button onClick={() => create.send(sent, ({ id }) => onStarted(id))} loading={create.busy}>
              Send {count(counted.count)} again
            </Button>
          )}
        </Group>
        <div aria-live="polite">{counted && <ReplayPreview preview={counted} />}</div>
      </Stack>
    </form>
  );
}

/** Warns that nothing is sent to a destination that is off, and that messages to a failing endpoint are likely to fail again. */
function Hindrance({ destinationId }: { readonly destinationId: string }): ReactElement | null {
  const seen = useOverview(destinationId).data?.destination;
  if (seen?.health === 'off') return <Alert color="yellow">{SWITCHED_OFF}.</Alert>;
  if (seen?.health !== 'failing') return null;
  return (
    <Alert color="yellow" title="This destination still fails">
      {seen.reason}. Messages that are sent again now are likely to fail again: repair the endpoint first.
    </Alert>
  );
}

/** Kinds of errors that are listed. */
const MOST_ERRORS = 10;

const COLUMNS: readonly Column<EventSummary>[] = [
  { header: 'Event', cell: (sample) => <MessageLink {...sample} /> },
  { header: 'User', cell: ({ userId }) => (userId === null ? '–' : shortened(userId)) },
  { header: 'Received', cell: ({ receivedAt }) => <Time at={receivedAt} /> },
];

/** How many messages a replay would send, and the first few of them. */
function ReplayPreview({ preview }: { readonly preview: Preview }): ReactElement {
  if (preview.count === 0) return <Text>Nothing fits: no message would be sent.</Text>;
  return (
    <Stack gap="xs">
      <Text>
        <strong>{count(preview.count)}</strong> {preview.count === 1 ? 'message' : 'messages'} would be sent.
      </Text>
      {preview.errors.length > 0 && (
        <Text>
          How they failed:{' '}
          {preview.errors
            .slice(0, MOST_ERRORS)
            .map(({ error, title, count: messages }) => `${count(messages)} × ${error} (${title})`)
            .join(', ')}
          {preview.errors.length > MOST_ERRORS && `, and ${preview.errors.length - MOST_ERRORS} other kinds`}.
        </Text>
      )}
      <Text>The first of them:</Text>
      <DataTable label="The first messages to be sent" columns={COLUMNS} rows={preview.sample} />
    </Stack>
  );
}
