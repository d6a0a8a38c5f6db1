import type { Millrace } from '../src/client.ts';
import { equal, holds, throws } from './expectations.ts';
import { FLUSH_AFTER } from './hand-time.ts';
import type { SentBatch } from './server-script.ts';
import { ids, type SuiteCase, trackMany, world } from './suite-client.ts';

/** When messages are sent, how they are parted into batches, and what the queue does when it is full. */
export function queueCases(server: string): SuiteCase[] {
  return [
    {
      name: 'nothing is sent before flushAt messages are queued; then all are, in one batch',
      async run() {
        const { client, room, delivered, time } = await world(server);
        trackMany(client, 19);
        equal(await room.seen(), [], 'requests for 19 messages');
        equal(time.pending(FLUSH_AFTER), 1, 'timers');
        trackMany(client, 3, 19);
        await client.flush();
        equal((await room.batches()).map(idsOf), [ids(22)], 'batches');
        equal(delivered.length, 22, 'delivered');
      },
    },
    {
      name: 'what is queued is sent when flushAfter has passed since the last flush',
      async run() {
        const { client, room, time } = await world(server);
        trackMany(client, 1);
        await time.pass(FLUSH_AFTER);
        await client.flush();
        equal(time.pending(FLUSH_AFTER), 1, 'the time counts from the flush, not from the next message');
        trackMany(client, 1, 1);
        equal(time.pending(FLUSH_AFTER), 1, 'timers');
        await time.pass(FLUSH_AFTER);
        await client.flush();
        equal((await room.batches()).map(idsOf), [['m0'], ['m1']], 'batches');
        await client.close();
        equal(time.pending(FLUSH_AFTER), 0, 'a closed client leaves no timer');
      },
    },
    {
      name: 'size 1 sends each message alone, in order; of size and flushAt the last one wins',
      async run() {
        const { client, room } = await world(server, [], { flushAt: 50, size: 1 });
        trackMany(client, 3);
        await client.flush();
        equal((await room.batches()).map(idsOf), [['m0'], ['m1'], ['m2']], 'batches');
        const other = await world(server, [], { size: 1, flushAt: 2 });
        trackMany(other.client, 2);
        await other.client.flush();
        equal((await other.room.batches()).map(idsOf), [['m0', 'm1']], 'batches');
      },
    },
    {
      name: 'a body has at most 500,000 bytes, and 2,500 calls; a full one is sent at once',
      async run() {
        for (const more of [-1, 0, 1]) {
          const { client, room } = await world(server, [], { flushAt: 1_000 });
          // 33 calls: the last one decides.
          const whole = 500_000 - ENVELOPE.length;
          const each = 15_000;
          for (let i = 0; i < 32; i += 1) sized(client, each);
          sized(client, whole - 32 * (each + 1) + more);
          await client.flush();
          const bodies = (await room.seen()).map(({ body }) => new TextEncoder().encode(body).length);
          if (more > 0) equal(bodies.length, 2, 'bodies for a byte too many');
          else equal(bodies, [500_000 + more], 'bytes of the body');
        }
        const many = await world(server);
        trackMany(many.client, 5_001);
        await many.client.flush();
        equal(
          (await many.room.batches()).map(({ batch }) => batch.length),
          [2_500, 2_500, 1],
          'calls of a batch',
        );
        const full = await world(server, [], { flushAt: 1_000 });
        for (let i = 0; i < 17; i += 1) sized(full.client, 30_000);
        await full.time.pass(FLUSH_AFTER);
        equal(await full.client.flush(), { delivered: 17, failed: 0 }, 'a full body');
      },
    },
    {
      name: 'a full queue pushes out the oldest message and reports it',
      async run() {
        const { client, delivered, reports } = await world(server, [], { maxQueue: 3, flushAt: 100 });
        trackMany(client, 5);
        equal(
          reports.map(({ message, error }) => [message.messageId, error.code]),
          [
            ['m0', 'queue_full'],
            ['m1', 'queue_full'],
          ],
          'reports',
        );
        equal(await client.flush(), { delivered: 3, failed: 0 }, 'counts');
        equal(
          delivered.map(({ messageId }) => messageId),
          ids(3, 2),
          'delivered',
        );
      },
    },
    {
      name: 'with onOverflow reject, a call on a full queue throws and the queue stays as it is',
      async run() {
        const { client, delivered, reports } = await world(server, [], { maxQueue: 3, onOverflow: 'reject' });
        trackMany(client, 3);
        throws(() => trackMany(client, 1, 3), 'queue_full', 'maxQueue (3)');
        await client.close();
        equal(
          delivered.map(({ messageId }) => messageId),
          ids(3),
          'delivered',
        );
        equal(reports, [], 'reports');
      },
    },
    {
      name: 'an onError that itself makes a call on a full queue can not go round for ever',
      async run() {
        let told = 0;
        const warned: string[] = [];
        const { client } = await world(server, [], {
          maxQueue: 2,
          onError() {
            told += 1;
            client.track({ userId: 'u1', event: 'Lost' });
          },
          logger: { debug() {}, warn: (line) => warned.push(line) },
        });
        trackMany(client, 3);
        await client.flush();
        equal(told, 1, 'reports');
        holds(
          warned.some((line) => line.includes('onError threw')),
          `a warning: ${warned}`,
        );
      },
    },
    {
      name: '100,000 calls in a loop: the queue stays bounded, and every message is delivered or reported once',
      async run() {
        const seen = new Map<string, number>();
        const count = ({ messageId }: { readonly messageId: string }): void =>
          void seen.set(messageId, (seen.get(messageId) ?? 0) + 1);
        const { client, room } = await world(server, [], {
          maxQueue: 1_000,
          onDelivered: count,
          onError: (_, message) => count(message),
        });
        trackMany(client, 100_000);
        equal(seen.size, 99_000, 'reported while the loop ran');
        equal(await client.close(), { delivered: 1_000, failed: 0 }, 'what was left in the queue');
        equal((await room.calls()).length, 1_000, 'sent');
        equal(seen.size, 100_000, 'messages accounted for');
        holds(
          [...seen.values()].every((times) => times === 1),
          'each once',
        );
      },
    },
  ];
}

/** What a body has besides its calls. */
const ENVELOPE = `{"batch":[],"context":{"library":{"name":"@millrace/client","version":"0.1.0"}},"messageId":"${'0'.repeat(36)}","sentAt":"${'0'.repeat(24)}"}`;

function idsOf({ batch }: SentBatch): string[] {
  return batch.map(({ messageId }) => messageId);
}

/** A call of that many bytes. */
function sized(client: Millrace, bytes: number): void {
  const empty =
    '{"type":"track","messageId":"m","timestamp":"2026-01-01","userId":"u1","event":"A","properties":{"f":""}}';
  const f = 'x'.repeat(bytes - empty.length);
  client.track({ userId: 'u1', event: 'A', messageId: 'm', timestamp: '2026-01-01', properties: { f } });
}
