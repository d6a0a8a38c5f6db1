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

/** Whether what a destination or a URL held at this position was discarded. */
export function isDiscarded({ hold }: { readonly hold?: Hold | undefined }, position: Position): boolean {
  return hold?.discarded !== undefined && isWithin(hold.discarded, position);
}

/** For how long it stood still between two times, milliseconds. A message's retry window does not run meanwhile. */
export function pausedFor({ hold }: Pick<Webhook, 'hold'>, from: number, to: number): number {
  if (!hold) return 0;
  const spans = hold.past.map(({ since, until }) => [Date.parse(since), Date.parse(until)] as const);
  if (hold.since !== null) spans.push([Date.parse(hold.since), to]);
  return spans.reduce((sum, [since, until]) => sum + Math.max(0, Math.min(until, to) - Math.max(since, from)), 0);
}

/** Ids of the URLs that were resumed by a change; of all where the destination was. */
export function resumedBy(before: Destination, after: Destination): string[] {
  const isAll = isPaused(before) && !isPaused(after);
  const paused = new Set(before.webhooks.filter(isPaused).map(({ id }) => id));
  return after.webhooks.flatMap((webhook) => {
    return isAll || (paused.has(webhook.id) && !isPaused(webhook)) ? [webhook.id] : [];
  });
}
