import { VisuallyHidden } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { serviceNow } from '../api/service-clock.ts';
import { clockTime, local, localMinute, relative, utc } from '../format/moment.ts';
import { useNow } from './clock.ts';

interface TimeProps {
  /** ISO 8601; null shows `otherwise`. */
  readonly at: string | null;
  /** In the viewer's zone instead of how long ago. */
  readonly absolute?: boolean;
  /** In the viewer's zone, to the minute. */
  readonly minutes?: boolean;
  /** The time of day alone, in the viewer's zone. */
  readonly clock?: boolean;
  /** What stands where there is no time. Default `–`. */
  readonly otherwise?: string;
}

/** A moment: how long ago or in the viewer's zone; both and UTC on hover, and UTC for screen readers. */
export function Time({
  at,
  absolute = false,
  minutes = false,
  clock = false,
  otherwise = '–',
}: TimeProps): ReactElement {
  if (at === null) return <>{otherwise}</>;
  const moment = new Date(at);
  return (
    <time
      dateTime={at}
      onMouseEnter={({ currentTarget }) => {
        const ago = relative(moment.getTime(), serviceNow());
        currentTarget.title = [ago, local(moment), utc(moment)].join('\n');
      }}
    >
      {clock ? (
        clockTime(moment)
      ) : minutes ? (
        localMinute(moment)
      ) : absolute ? (
        local(moment)
      ) : (
        <Ago at={moment.getTime()} />
      )}
      <VisuallyHidden> ({utc(moment)})</VisuallyHidden>
    </time>
  );
}

interface UntilProps {
  /** ISO 8601; null has come. */
  readonly at: string | null;
  /** Instead, once it has come. */
  readonly then: ReactNode;
  readonly children: ReactNode;
}

/** What is said of a moment for as long as it is to come. */
export function Until({ at, then, children }: UntilProps): ReactNode {
  return Date.parse(at ?? '') > useNow() ? children : then;
}

function Ago({ at }: { readonly at: number }): string {
  return relative(at, Math.max(useNow(), 0));
}
