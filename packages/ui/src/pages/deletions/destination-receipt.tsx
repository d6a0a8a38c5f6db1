import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { RegulationReceipt } from '../../../../server/src/admin/contract.ts';
import { destinationsApi } from '../../api/destinations.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { StatusBadge, type Tone } from '../../components/status-badge.tsx';
import { Time } from '../../components/time.tsx';
import { duration, many } from '../../format/number.ts';
import { errorInWords, reasonInWords } from '../../format/reasons.ts';
import { toneOf } from '../messages/tone-of.ts';
import classes from './subject-card.module.css';

const TONES: Readonly<Record<string, Tone>> = { processed: 'good', failed: 'bad', filtered: 'off', retrying: 'warn' };
const WORDS: Readonly<Record<string, string>> = { processed: 'told' };

/** One destination: whether it was told, and every request to its URLs. */
export function DestinationReceipt({ receipt }: { readonly receipt: RegulationReceipt }): ReactElement {
  const { destinationId, state, reason, at, attempts } = receipt;
  const { data: destinations } = useQuery(destinationsApi.list());
  const known = destinations?.find(({ id }) => id === destinationId);
  return (
    <>
      <Group gap="sm">
        <Text fw={500}>
          {known ? (
            <AnchorLink
              to={state === 'failed' ? '/destinations/$destinationId/failed' : '/destinations/$destinationId'}
              params={{ destinationId }}
              inherit
            >
              {known.name}
            </AnchorLink>
          ) : (
            `${destinationId}${destinations ? ' (deleted)' : ''}`
          )}
        </Text>
        <StatusBadge tone={TONES[state] ?? 'idle'}>{WORDS[state] ?? state}</StatusBadge>
        <Text c="dimmed">
          <Time at={at} />
        </Text>
      </Group>
      {reason !== null && <Text>{reasonInWords(reason)}</Text>}
      {attempts.length > 0 && (
        <details className={classes['attempts']} open={state === 'failed'}>
          <summary>{many(attempts.length, 'request')}</summary>
          <ol>
            {attempts.map((attempt) => (
              <li key={`${attempt.at} ${attempt.url}`}>
                <StatusBadge tone={toneOf(attempt)} title={errorInWords(attempt.error) ?? undefined}>
                  {attempt.status ?? attempt.error}
                </StatusBadge>
                <span>{attempt.url}</span>
                <Text span variant="aside">
                  <Time at={attempt.at} absolute />, took {duration(attempt.ms)}
                </Text>
              </li>
            ))}
          </ol>
        </details>
      )}
    </>
  );
}
