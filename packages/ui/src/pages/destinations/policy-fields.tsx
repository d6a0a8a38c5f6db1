import { NumberInput, SimpleGrid, Stack, Table, TagsInput, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { RetrySchedule } from '../../../../server/src/admin/contract.ts';
import { type Departure, departuresOf, IN_CONTRACT } from '../../../../server/src/core/departure.ts';
import { destinationsApi } from '../../api/destinations.ts';
import { problemFrom } from '../../api/problem.ts';
import { settingsFileApi } from '../../api/settings-file.ts';
import { clearable } from '../../components/clearable.ts';
import { StatusBadge } from '../../components/status-badge.tsx';
import { exactly } from '../../format/number.ts';
import { SectionCard } from '../../forms/section-card.tsx';
import type { SettingsForm } from './settings-values.ts';

/** The rate, the timeout and the retries of a destination. Empty fields use the service's values. */
export function PolicyFields({ form }: { readonly form: SettingsForm }): ReactElement {
  const { data: process } = useQuery(settingsFileApi.process());
  const usual = (name: string): string => {
    const value = process?.find((setting) => setting.name === `MILLRACE_${name}`)?.value;
    return value === undefined ? '' : `as the service: ${value}`;
  };
  const { timeout, retryWindow } = form.values.policy;
  const departures = departuresOf({ timeout: timeout.trim(), retryWindow: retryWindow.trim() });
  const statuses = { splitChars: [',', ' '], ...clearable('Remove all statuses') };
  return (
    <SectionCard title="Pace and retries" description="What is left empty follows the settings of the service.">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <NumberInput
          label="Most requests a second"
          description="To all URLs together, retries among them."
          placeholder="no limit"
          allowNegative={false}
          {...form.getInputProps('policy.ratePerSecond')}
        />
        <NumberInput
          label="Most requests at once"
          description="To each URL. Below it the number adapts."
          placeholder={usual('MAX_CONCURRENCY')}
          allowDecimal={false}
          allowNegative={false}
          {...form.getInputProps('policy.maxConcurrency')}
        />
        <Stack gap={6} align="stretch">
          <TextInput
            label="Timeout"
            description="Until the answer begins: 1s to 30s."
            placeholder={usual('DELIVERY_TIMEOUT')}
            {...form.getInputProps('policy.timeout')}
          />
          <Departs name="timeout" from={departures} />
        </Stack>
        <Stack gap={6} align="stretch">
          <TextInput
            label="Retry window"
            description="From the first attempt to the last: 1m to 7d."
            placeholder={usual('RETRY_WINDOW')}
            {...form.getInputProps('policy.retryWindow')}
          />
          <Departs name="retryWindow" from={departures} />
        </Stack>
        <TagsInput
          label="Statuses that are not tried again"
          description="Beyond the rule, 300 to 499: such as 429."
          {...statuses}
          {...form.getInputProps('policy.permanentStatuses')}
        />
        <TagsInput
          label="Statuses that are tried again"
          description="Beyond the rule, 300 to 499: such as 404."
          {...statuses}
          {...form.getInputProps('policy.temporaryStatuses')}
        />
      </SimpleGrid>
      <ScheduleTable retryWindow={retryWindow.trim()} />
    </SectionCard>
  );
}

function Departs({ name, from }: { readonly name: Departure; readonly from: readonly Departure[] }): ReactElement {
  return (
    <div role="status">
      {from.includes(name) && <StatusBadge tone="warn">departs from Segment's {IN_CONTRACT[name]}</StatusBadge>}
    </div>
  );
}

/** Milliseconds without typing before the schedule is requested. */
const REST_MS = 250;

/** The times of the attempts under a retry window while it is typed. Empty: the service's window. */
function ScheduleTable({ retryWindow }: { readonly retryWindow: string }): ReactElement {
  const [asked] = useDebouncedValue(retryWindow, REST_MS);
  const isWritten = asked === '' || /^\d+(ms|s|m|h|d)$/.test(asked);
  const { data, error } = useQuery({ ...destinationsApi.schedule(asked), enabled: isWritten });
  if (!isWritten || error) {
    return (
      <Text c="dimmed" role="status">
        {error ? problemFrom(error).message : 'A window is written like 30m, 4h or 2d.'}
      </Text>
    );
  }
  return (
    <Table
      horizontalSpacing={6}
      verticalSpacing={4}
      aria-label="When a message is tried again"
      data={{
        caption: 'Endpoints that ask for a wait (Retry-After) get it, within the window.',
        head: ['Attempt', 'Wait before it', 'Since the first'],
        body: [['1', 'at once', '–'], ...(data ? rowsOf(data) : [])],
      }}
    />
  );
}

function rowsOf({ rounds, more, cap, window }: RetrySchedule): string[][] {
  const rows = rounds.map(({ round, waitAtLeast, waitAtMost, sinceFirstAtLeast, sinceFirstAtMost }) => [
    String(round),
    between(waitAtLeast, waitAtMost),
    between(sinceFirstAtLeast, sinceFirstAtMost),
  ]);
  return more ? [...rows, ['later', `up to ${exactly(cap)}`, '…'], ['last', '', exactly(window)]] : rows;
}

function between(least: number, most: number): string {
  return least === most ? exactly(most) : `${exactly(least)} to ${exactly(most)}`;
}
