import type { Event } from './event.ts';

/** Bytes that an event takes in memory and on the disk beyond what every event takes; 0 where there is no event. */
export function weightOf(event: Event | undefined): number {
  if (!event) return 0;
  const { body, unsent, integrations, name, userId } = event;
  const texts = (integrations?.length ?? 0) + (name?.length ?? 0) + (userId?.length ?? 0);
  return body.byteLength + texts + (unsent === null ? 0 : Buffer.byteLength(unsent));
}
