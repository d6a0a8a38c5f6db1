import { Card, Group, Skeleton, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import type { Counts } from '../../../../server/src/admin/contract.ts';
import { share } from '../../../../server/src/core/share.ts';
import { count } from '../../format/number.ts';
import { GlossaryTerm } from '../../glossary/glossary-term.tsx';
import { useMayLook } from '../../shell/session.ts';
import classes from './counts.module.css';

interface CountsCardProps {
  readonly destinationId: string;
  readonly counts: Counts | undefined;
}

/** The outcome of every event since the destination was created, with the sum: no event may be missing. */
export function CountsCard({ destinationId, counts }: CountsCardProps): ReactElement {
  return (
    <Card component="section" aria-labelledby="counts">
      <Group justify="space-between" mb="sm" gap="xs">
        <Title id="counts">What became of every event</Title>
        {counts && <Sum {...counts} />}
      </Group>
      {counts ? (
        <>
          <CountsBar {...counts} />
          <CountsEquation destinationId={destinationId} {...counts} />
        </>
      ) : (
        <Skeleton height={72} />
      )}
    </Card>
  );
}

function Sum({ accepted, processed, failed, filtered, waiting }: Counts): ReactElement {
  const difference = accepted - processed - failed - filtered - waiting;
  return difference === 0 ? (
    <Text c="var(--millrace-good)" fw={500}>
      ✓ Adds up: nothing is missing
    </Text>
  ) : (
    <Text c="var(--millrace-bad)" fw={500}>
      ✗ Differs by {count(Math.abs(difference))}: please report it
    </Text>
  );
}

const ENDED = ['processed', 'failed', 'filtered'] as const;
const PARTS = [...ENDED, 'waiting'] as const;

/** The shares of the accepted events, as lengths. Every share above zero is visible, however small. */
function CountsBar(counts: Counts): ReactElement {
  const words = PARTS.map((part) => `${count(counts[part])} ${part} (${share(counts[part], counts.accepted)})`);
  return (
    <div
      className={classes['bar']}
      role="img"
      aria-label={`Of ${count(counts.accepted)} accepted: ${words.join(', ')}`}
    >
      {PARTS.filter((part) => counts[part] > 0).map((part) => (
        <span key={part} data-part={part} style={{ flexGrow: counts[part] }} />
      ))}
    </div>
  );
}

interface CountsEquationProps extends Counts {
  readonly destinationId: string;
}

/** accepted = processed + failed + filtered + waiting. Each number leads to the deliveries that it counts. */
function CountsEquation({ destinationId, ...counts }: CountsEquationProps): ReactElement {
  const mayLook = useMayLook();
  const deliveries = (state: (typeof ENDED)[number] | 'retrying', words: ReactNode): ReactNode =>
    mayLook ? (
      <Link to="/destinations/$id/deliveries" params={{ id: destinationId }} search={{ state }}>
        {words}
      </Link>
    ) : (
      words
    );
  return (
    <Group gap="4px 20px" align="baseline">
      <Term value={counts.accepted} part="accepted">
        <GlossaryTerm name="accepted">accepted</GlossaryTerm>
      </Term>
      {ENDED.map((part, i) => (
        <Term key={part} sign={i === 0 ? '=' : '+'} value={counts[part]} part={part}>
          {deliveries(part, part)}
        </Term>
      ))}
      <Term sign="+" value={counts.waiting} part="waiting">
        <GlossaryTerm name="waiting">waiting</GlossaryTerm>
        {counts.retrying > 0 && <> ({deliveries('retrying', `${count(counts.retrying)} retrying`)})</>}
      </Term>
    </Group>
  );
}

interface TermProps {
  /** Shown before the number. */
  readonly sign?: '=' | '+';
  readonly value: number;
  readonly part: string;
  readonly children: ReactNode;
}

/** A number above its name. The sign stays on the same line as the number. */
function Term({ sign, value, part, children }: TermProps): ReactElement {
  return (
    <Group className={classes['term'] ?? ''} gap={20} align="flex-start" wrap="nowrap" data-part={part}>
      {sign && (
        <Text c="dimmed" fz="1.25rem" lh={1.3}>
          {sign}
        </Text>
      )}
      <div>
        <Text fz="1.25rem" fw={650} lh={1.3}>
          {count(value)}
        </Text>
        <Text className={classes['name'] ?? ''} component="div" c="dimmed">
          {children}
        </Text>
      </div>
    </Group>
  );
}
