import type { Event } from './event.ts';

/** What an event takes in memory and on the disk, in bytes, but for what each one has. */
export function weightOf({ body, unsent, integrations, name, userId }: Event): number {
  const texts = (integrations?.length ?? 0) + (name?.length ?? 0) + (userId?.length ?? 0);
  return body.byteLength + texts + (unsent === null ? 0 : Buffer.byteLength(unsent));
}
