import { Group, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { LiveRate } from '../../../../server/src/admin/contract.ts';
import { StatusBadge, type Tone } from '../../components/status-badge.tsx';
import { count, perSecond } from '../../format/number.ts';
import { type Connection, type LiveView, MOST_ROWS } from './live-buffer.ts';

const CONNECTIONS: Readonly<Record<Connection, { readonly tone: Tone; readonly word: string }>> = {
  connecting: { tone: 'busy', word: 'connecting' },
  open: { tone: 'good', word: 'live' },
  lost: { tone: 'bad', word: 'disconnected' },
};

interface LiveStatusProps {
  readonly view: LiveView;
  readonly isFiltered: boolean;
}

/** Whether it is live, how much comes, and how much of it is shown. Only the connection is spoken aloud. */
export function LiveStatus({ view, isFiltered }: LiveStatusProps): ReactElement {
  const { connection, rate, paused, missed, rows } = view;
  const { tone, word } = paused ? { tone: 'warn' as const, word: 'paused' } : CONNECTIONS[connection];
  return (
    <Group gap="sm" my="sm" mih={26}>
      <Group gap="sm" role="status">
        <StatusBadge tone={tone}>{word}</StatusBadge>
        {connection === 'lost' && (
          <Text c="var(--millrace-bad)">
            The stream ended: the connection was lost, the service stopped, or too many pages watch it. This page tries
            again every few seconds. Calls in between are not shown here.
          </Text>
        )}
      </Group>
      {paused && <Text>{count(missed)} came since; the newest are shown when you go on.</Text>}
      {rate && !paused && <Text c="dimmed">{rateInWords(rate, isFiltered)}</Text>}
      <Text c="dimmed" ml="auto">
        {rows.length === MOST_ROWS ? `the last ${MOST_ROWS}` : count(rows.length)} kept on this page
      </Text>
    </Group>
  );
}

function rateInWords({ matched, sent, accepted }: LiveRate, isFiltered: boolean): string {
  const share = isFiltered ? `${perSecond(matched)} pass the filter, of ${perSecond(accepted)} accepted` : '';
  if (sent < matched) {
    const sample = `Showing ${count(sent)} of ${perSecond(matched)}, an even sample.`;
    return isFiltered ? `${sample} ${share}.` : `${sample} Narrow the filter to see every one.`;
  }
  return isFiltered ? `${share}. Every one is shown.` : `Showing all of ${perSecond(matched)}.`;
}
