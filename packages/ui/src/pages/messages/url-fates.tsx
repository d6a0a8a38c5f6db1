import { Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { UrlFate } from '../../../../server/src/admin/contract.ts';
import { StatusBadge, type Tone } from '../../components/status-badge.tsx';

const WORDS: Readonly<Record<UrlFate['fate'], readonly [tone: Tone, words: string]>> = {
  took: ['good', 'took it'],
  waits: ['busy', 'waits'],
  paused: ['off', 'paused'],
  refused: ['bad', 'refused it'],
  missed: ['bad', 'missed it'],
  none: ['idle', 'not sent'],
};

/** Of a destination that asks for all of its URLs: what each made of the message. */
export function UrlFates({ urls }: { readonly urls: readonly UrlFate[] }): ReactElement {
  return (
    <Stack component="ul" aria-label="By URL" gap={4} p={0} m={0} style={{ listStyle: 'none' }}>
      {urls.map(({ webhookId, url, fate }) => (
        <li key={webhookId}>
          <StatusBadge tone={WORDS[fate][0]}>{WORDS[fate][1]}</StatusBadge>{' '}
          <Text span style={{ overflowWrap: 'anywhere' }}>
            {url}
          </Text>
        </li>
      ))}
    </Stack>
  );
}
