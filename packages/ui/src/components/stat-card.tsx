import { Card, Group, Skeleton, Text } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';

export interface Delta {
  /** `+4.1%` */
  readonly text: string;
  /** Is the change welcome; null where it is neither. */
  readonly good: boolean | null;
  /** Compared with what: `than in the hour before`. */
  readonly against: string;
}

interface StatCardProps {
  readonly label: string;
  /** Undefined while it is on its way. */
  readonly value: ReactNode | undefined;
  readonly delta?: Delta | null;
  /** A second line: what the number is made of. */
  readonly note?: ReactNode;
}

/** One number that matters, and how it has changed. */
export function StatCard({ label, value, delta, note }: StatCardProps): ReactElement {
  return (
    <Card component="section" aria-label={label}>
      <Text size="xs" fw={600} c="dimmed" tt="uppercase" lts="0.02em">
        {label}
      </Text>
      {value === undefined ? (
        <Skeleton height={26} width="60%" my={5} />
      ) : (
        <Group gap={10} align="baseline" wrap="wrap">
          <Text fz={26} fw={700} lh="36px">
            {value}
          </Text>
          {delta && (
            <Text c={TONES[String(delta.good)] ?? 'dimmed'} title={`${delta.text} ${delta.against}`}>
              {delta.text}
            </Text>
          )}
        </Group>
      )}
      {note && <Text variant="aside">{note}</Text>}
    </Card>
  );
}

const TONES: Readonly<Record<string, string>> = { true: 'var(--millrace-good)', false: 'var(--millrace-bad)' };
