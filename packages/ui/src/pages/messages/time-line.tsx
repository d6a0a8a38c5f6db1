import type { ReactElement } from 'react';
import type { Attempt, TracedLane } from '../../../../server/src/admin/contract.ts';
import { useNow } from '../../components/clock.ts';
import { madeOf } from '../../format/attempts.ts';
import { duration, many } from '../../format/number.ts';
import classes from './time-line.module.css';
import { placeOf, ticksUpTo } from './time-scale.ts';
import { toneOf } from './tone-of.ts';

interface TimeLineProps {
  readonly lane: TracedLane;
  readonly receivedAt: string;
}

/**
 * The attempts to each URL, on a line that begins when the message was received. Later times are closer together, because
 * the waits between attempts grow. The table below has the same content in words.
 */
export function TimeLine({ lane: { attempts, nextAttemptAt, requests }, receivedAt }: TimeLineProps): ReactElement {
  const start = Date.parse(receivedAt);
  const since = (at: string): number => Math.max(0, Date.parse(at) - start);
  const next = nextAttemptAt === null ? null : since(nextAttemptAt);
  const end = Math.max(1_000, ...attempts.map(({ at, ms }) => since(at) + ms), next ?? 0);
  // A URL that was edited since its last attempt is shown as it was then, unless another attempt follows.
  const current = next === null ? [] : requests;
  const urls = [...new Map([...requests, ...attempts, ...current].map(({ webhookId, url }) => [webhookId, url]))];
  const now = useNow() - start;
  return (
    <div className={classes['line']} role="img" aria-label={summary(attempts, urls)}>
      {urls.map(([id, url]) => (
        <div key={id} className={classes['lane']}>
          <span className={classes['url']} title={url}>
            <bdi>{url}</bdi>
          </span>
          <div className={classes['track']}>
            {next !== null && now > 0 && now < next && (
              <span className={classes['now']} style={{ left: percent(placeOf(now, end)) }} title="now" />
            )}
            {attempts
              .filter((attempt) => attempt.webhookId === id)
              .map((attempt) => (
                <Mark key={attempt.at} attempt={attempt} from={since(attempt.at)} end={end} />
              ))}
            {next !== null && (
              <span
                className={classes['next']}
                style={{ left: percent(placeOf(next, end)) }}
                title={`next attempt, ${duration(next)} after it was received`}
              />
            )}
          </div>
        </div>
      ))}
      <div className={classes['lane']}>
        <span className={classes['url']}>since received</span>
        <div className={classes['ticks']}>
          {ticksUpTo(end).map((tick) => (
            <span key={tick} style={{ left: percent(placeOf(tick, end)) }}>
              {tick === 0 ? '0' : duration(tick)}
            </span>
          ))}
        </div>
      </div>
    </div>
  );
}

function Mark(props: { readonly attempt: Attempt; readonly from: number; readonly end: number }): ReactElement {
  const { attempt, from, end } = props;
  const left = placeOf(from, end);
  const width = placeOf(from + attempt.ms, end) - left;
  return (
    <span
      className={classes['mark']}
      data-tone={toneOf(attempt)}
      style={{ left: percent(left), width: percent(width) }}
      title={`${attempt.url}: ${attempt.status ?? attempt.error}, ${duration(from)} after it was received, took ${duration(attempt.ms)}`}
    />
  );
}

function percent(part: number): string {
  return `${(100 * part).toFixed(2)}%`;
}

function summary(attempts: readonly Attempt[], urls: readonly unknown[]): string {
  const words = many(madeOf(attempts), 'attempt');
  return `Time line of ${words} to ${many(urls.length, 'URL')}; the table below lists them`;
}
