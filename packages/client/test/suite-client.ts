import type { Message } from '../src/calls.ts';
import { Millrace } from '../src/client.ts';
import type { MillraceError } from '../src/error.ts';
import type { Options } from '../src/options.ts';
import { FLUSH_AFTER, HandTime, TIMEOUT } from './hand-time.ts';
import { type Reply, Room } from './server-script.ts';

export interface SuiteCase {
  readonly name: string;
  /** Rejects when what the case says is not so. */
  run(): Promise<void>;
}

export interface Report {
  readonly error: MillraceError;
  readonly message: Message;
}

/** A client with everything a case wants to see of it. */
export interface World {
  readonly client: Millrace;
  readonly room: Room;
  readonly time: HandTime;
  readonly delivered: Message[];
  readonly reports: Report[];
}

export async function world(server: string, script: readonly Reply[] = [], options: Options = {}): Promise<World> {
  const room = await Room.open(server, script);
  const time = new HandTime();
  const delivered: Message[] = [];
  const reports: Report[] = [];
  const client = new Millrace(
    'the-write-key',
    {
      endpoint: room.endpoint,
      timeout: TIMEOUT,
      flushAfter: FLUSH_AFTER,
      onDelivered: (message) => delivered.push(message),
      onError: (error, message) => reports.push({ error, message }),
      ...options,
    },
    time,
  );
  return { client, room, time, delivered, reports };
}

/** Tracks as many events, numbered from `from`. */
export function trackMany(client: Millrace, count: number, from = 0): void {
  for (let i = from; i < from + count; i += 1) client.track({ userId: 'u1', event: 'Tested', messageId: `m${i}` });
}

export function ids(count: number, from = 0): string[] {
  return Array.from({ length: count }, (_, i) => `m${from + i}`);
}
