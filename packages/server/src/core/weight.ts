import type { Event } from './event.ts';

/** What an event takes in memory and on the disk, in bytes, beside what each one takes; 0 for none. */
export function weightOf(event: Event | undefined): number {
  if (!event) return 0;
  const { body, unsent, integrations, name, userId } = event;
  const texts = (integrations?.length ?? 0) + (name?.length ?? 0) + (userId?.length ?? 0);
  return body.byteLength + texts + (unsent === null ? 0 : Buffer.byteLength(unsent));
}
