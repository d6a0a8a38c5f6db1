import { type Destination, type Hold, hasUrl, type Webhook } from './destination.ts';
import type { Position } from './event.ts';
import { isWithin, type Offsets } from './position.ts';

/** Whether a destination or a URL is paused. */
export function isPaused({ hold }: Pick<Webhook, 'hold'>): boolean {
  return hold !== undefined && hold.since !== null;
}

/** Whether a destination can send nothing: it is paused, or each of its URLs is. */
export function standsStill(destination: Destination): boolean {
  return isPaused(destination) || destination.webhooks.every(isPaused);
}

/** The paused URLs that every message waits for: those of a destination that asks for an answer of all its URLs. */
export function heldUpBy({ success, webhooks }: Destination): readonly Webhook[] {
  return success === 'all' ? webhooks.filter(isPaused) : [];
}

/** Since when a destination can send nothing, ISO 8601 UTC; null where it can send. */
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
 * Whether a message that waited for a paused destination or URL was discarded. A message that a replay put into the retry queue
 * did not wait then, unless it was tried before that.
 */
export function isDiscarded(hold: Hold | undefined, position: Position, replay: ReplayState): boolean {
  if (hold?.discarded === undefined || !isWithin(hold.discarded, position)) return false;
  const { isReplay, firstAt } = replay;
  return !isReplay || (firstAt !== null && hold.discardedAt !== undefined && firstAt <= Date.parse(hold.discardedAt));
}

/** Whether a replay sends the message, and when its first attempt in that replay began, milliseconds since the epoch. */
interface ReplayState {
  readonly isReplay: boolean;
  readonly firstAt: number | null;
}

/** For how long at least one of these was paused between two times, milliseconds. A message's retry window does not run meanwhile. */
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

/** Whether a change removed a paused URL: messages that waited for it no longer wait. */
export function losesPaused(before: Destination, after: Destination): boolean {
  return before.webhooks.some((webhook) => isPaused(webhook) && !hasUrl(after, webhook.id));
}

/** When the last pause of the destination, or of one of its URLs, ended, milliseconds since the epoch; null where none has. */
export function resumedAt(destination: Destination): number | null {
  const ends = [destination, ...destination.webhooks].flatMap(({ hold }) => hold?.past.at(-1)?.until ?? []);
  return ends.length === 0 ? null : Math.max(...ends.map(Date.parse));
}

/** Ids of the URLs that a change resumed: all of them where the destination was resumed, or where a paused URL is gone. */
export function resumedBy(before: Destination, after: Destination): string[] {
  const paused = new Set(before.webhooks.filter(isPaused).map(({ id }) => id));
  const isAll = (isPaused(before) && !isPaused(after)) || losesPaused(before, after);
  return after.webhooks.flatMap((webhook) => {
    return isAll || (paused.has(webhook.id) && !isPaused(webhook)) ? [webhook.id] : [];
  });
}

/** Past pauses that are kept, so that retry windows do not run through them. Older ones are joined into one of the same total length. */
const MOST_PAST = 10;

/**
 * The hold of what is resumed at a time, ISO 8601 UTC. `discarded`: the offsets up to which the messages that waited are
 * discarded; undefined for none.
 */
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
