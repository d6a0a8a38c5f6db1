import type { Destination, Hold, Webhook } from './destination.ts';
import type { Position } from './event.ts';
import { isWithin } from './position.ts';

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

/** Ids of the URLs that were resumed by a change; of all where the destination was. */
export function resumedBy(before: Destination, after: Destination): string[] {
  const isAll = isPaused(before) && !isPaused(after);
  const paused = new Set(before.webhooks.filter(isPaused).map(({ id }) => id));
  return after.webhooks.flatMap((webhook) => {
    return isAll || (paused.has(webhook.id) && !isPaused(webhook)) ? [webhook.id] : [];
  });
}
