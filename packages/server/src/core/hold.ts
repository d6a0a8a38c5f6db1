import { type Destination, type Hold, hasUrl, type Webhook } from './destination.ts';
import type { Position } from './event.ts';
import { isWithin, type Offsets } from './position.ts';

/** Whether a destination or a URL stands still on demand. */
export function isPaused({ hold }: Pick<Webhook, 'hold'>): boolean {
  return hold !== undefined && hold.since !== null;
}

/** Whether nothing can be sent to a destination: it stands still, or each of its URLs does. */
export function standsStill(destination: Destination): boolean {
  return isPaused(destination) || destination.webhooks.every(isPaused);
}

/** The URLs that stand still while every message waits for them: of a destination that asks for all. */
export function heldUpBy({ success, webhooks }: Destination): readonly Webhook[] {
  return success === 'all' ? webhooks.filter(isPaused) : [];
}

/** Since when nothing can be sent to it, ISO 8601 UTC; null where something can. */
export function stillSince(destination: Destination): string | null {
  if (!standsStill(destination)) return null;
  return (
    destination.hold?.since ??
    destination.webhooks
      .map(({ hold }) => hold?.since ?? '')
      .toSorted()
      .at(-1) ??
    null
  );
}

/**
 * Whether what a destination or a URL held of a message was discarded. What a replay puts into the retry queue was not held then,
 * unless it was tried before that.
 */
export function isDiscarded(hold: Hold | undefined, position: Position, replay: ReplayState): boolean {
  if (hold?.discarded === undefined || !isWithin(hold.discarded, position)) return false;
  const { isReplay, firstAt } = replay;
  return !isReplay || (firstAt !== null && hold.discardedAt !== undefined && firstAt <= Date.parse(hold.discardedAt));
}

/** Whether a message is one of a replay, and when its first attempt since then began, milliseconds since the epoch. */
interface ReplayState {
  readonly isReplay: boolean;
  readonly firstAt: number | null;
}

/** For how long one of them or several stood still between two times, milliseconds. A message's retry window does not run meanwhile. */
export function pausedFor(things: readonly Pick<Webhook, 'hold'>[], from: number, to: number): number {
  const spans = things.flatMap(({ hold }) => [
    ...(hold?.past ?? []).map(({ since, until }) => [Date.parse(since), Date.parse(until)] as const),
    ...(hold?.since ? [[Date.parse(hold.since), to] as const] : []),
  ]);
  let sum = 0;
  let counted = from;
  for (const [since, until] of spans.sort(([a], [b]) => a - b)) {
    const end = Math.min(until, to);
    sum += Math.max(0, end - Math.max(since, counted));
    counted = Math.max(counted, end);
  }
  return sum;
}

/**
 * Ids of the URLs that were resumed by a change; of all where the destination was, or where one that was paused is gone: what
 * waited for that waits for nothing now, or for them.
 */
export function resumedBy(before: Destination, after: Destination): string[] {
  const paused = new Set(before.webhooks.filter(isPaused).map(({ id }) => id));
  const isAll = (isPaused(before) && !isPaused(after)) || [...paused].some((id) => !hasUrl(after, id));
  return after.webhooks.flatMap((webhook) => {
    return isAll || (paused.has(webhook.id) && !isPaused(webhook)) ? [webhook.id] : [];
  });
}

/** Past pauses that are kept, so that retry windows do not run through them. The oldest become one, as long as they were together. */
const MOST_PAST = 10;

/** As it is from a time on at which it goes on, ISO 8601 UTC. `discarded`: up to where what it held is; undefined for nothing. */
export function resumed(hold: Hold | undefined, until: string, discarded: Offsets | undefined): Hold | undefined {
  if (!hold?.since) return hold;
  const past = withinMost([...hold.past, { since: hold.since, until }]);
  return { ...hold, since: null, past, ...(discarded && { discarded, discardedAt: until }) };
}

function withinMost(past: Hold['past']): Hold['past'] {
  const [oldest, second, ...others] = past;
  if (past.length <= MOST_PAST || !oldest || !second) return past;
  const length = Date.parse(oldest.until) - Date.parse(oldest.since);
  return [{ since: new Date(Date.parse(second.since) - length).toISOString(), until: second.until }, ...others];
}
