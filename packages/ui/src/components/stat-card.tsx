import { Card, Group, Skeleton, Text } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';

export interface Delta {
  /** `+4.1%` */
  readonly text: string;
  /** Whether the change is good; null if neither good nor bad. */
  readonly good: boolean | null;
  /** What it is compared with: `than in the hour before`. */
  readonly against: string;
}

interface StatCardProps {
  readonly label: string;
  /** Undefined while it loads. */
  readonly value: ReactNode | undefined;
  readonly delta?: Delta | null;
  /** A second line: the parts of the number. */
  readonly note?: ReactNode;
}

/** One important number, and its change. */
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
          <Text fz={26} fw={700} lh={1.4}>
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
