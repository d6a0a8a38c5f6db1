import { VisuallyHidden } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { serviceNow } from '../api/service-clock.ts';
import { clockTime, local, localMinute, relative, utc } from '../format/moment.ts';
import { useNow } from './clock.ts';

interface TimeProps {
  /** ISO 8601; null shows `otherwise`. */
  readonly at: string | null;
  /** Shows the time in the viewer's zone in place of how long ago. */
  readonly absolute?: boolean;
  /** Shows the time in the viewer's zone, to the minute. */
  readonly minutes?: boolean;
  /** Shows only the time of day, in the viewer's zone. */
  readonly clock?: boolean;
  /** Shown if `at` is null. Default `–`. */
  readonly otherwise?: string;
}

/** A moment: how long ago, or in the viewer's zone. Both, and UTC, appear on hover. Of one without its date, screen readers get UTC. */
export function Time({
  at,
  absolute = false,
  minutes = false,
  clock = false,
  otherwise = '–',
}: TimeProps): ReactElement {
  if (at === null) return <>{otherwise}</>;
  const moment = new Date(at);
  const write = clock ? clockTime : minutes ? localMinute : absolute && local;
  return (
    <time
      dateTime={at}
      onMouseEnter={({ currentTarget }) => {
        const ago = relative(moment.getTime(), serviceNow());
        currentTarget.title = [ago, local(moment), utc(moment)].join('\n');
      }}
    >
      {write ? write(moment) : <Ago at={moment.getTime()} />}
      {!absolute && !minutes && <VisuallyHidden> ({utc(moment)})</VisuallyHidden>}
    </time>
  );
}

interface UntilProps {
  /** ISO 8601; null counts as past. */
  readonly at: string | null;
  /** Shown once the moment has passed. */
  readonly then: ReactNode;
  readonly children: ReactNode;
}

/** Shows its children until a moment has passed. */
export function Until({ at, then, children }: UntilProps): ReactNode {
  return Date.parse(at ?? '') > useNow() ? children : then;
}

function Ago({ at }: { readonly at: number }): string {
  return relative(at, Math.max(useNow(), 0));
}
