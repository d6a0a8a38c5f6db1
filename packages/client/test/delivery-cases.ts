import { equal, holds, rejects, throws } from './expectations.ts';
import { TIMEOUT } from './hand-time.ts';
import type { Reply } from './server-script.ts';
import { ids, type SuiteCase, trackMany, world } from './suite-client.ts';

/** What becomes of a batch: attempts, waits, reports, and the promises of flush and close. */
export function deliveryCases(server: string): SuiteCase[] {
  return [
    {
      name: '500 nine times, then 200: delivered once, with the same ids and a fresh sentAt each time',
      async run() {
        const { client, room, time, delivered, reports } = await world(server, [...many(9, 500), 200]);
        trackMany(client, 2);
        time.pace = 1_000;
        equal(await client.flush(), { delivered: 2, failed: 0 }, 'counts');
        equal(time.waits, [100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000], 'waits without luck');
        const batches = await room.batches();
        equal(batches.length, 10, 'attempts');
        equal(
          new Set(batches.map(({ batch, messageId }) => JSON.stringify([batch, messageId]))).size,
          1,
          'what was sent',
        );
        equal(new Set(batches.map(({ sentAt }) => sentAt)).size, 10, 'sentAt');
        equal(
          delivered.map(({ messageId }) => messageId),
          ids(2),
          'delivered',
        );
        equal(reports, [], 'reports');
      },
    },
    {
      name: 'the waits are jittered by up to a half',
      async run() {
        const { client, time } = await world(server, [500, 500, 200]);
        time.luck = 0.999_999;
        trackMany(client, 1);
        await client.flush();
        holds(
          time.waits.every((ms, i) => Math.round(ms) === [50, 100][i]),
          `waits with all the luck: ${time.waits}`,
        );
      },
    },
    {
      name: 'ten failures: each message is reported once, and the next batch goes on',
      async run() {
        const { client, room, reports, delivered } = await world(server, [...many(10, 503), 200]);
        trackMany(client, 3);
        equal(await client.flush(), { delivered: 0, failed: 3 }, 'counts');
        equal(
          reports.map(({ error, message }) => [error.code, error.status, message.messageId]),
          ids(3).map((id) => ['http_503', 503, id]),
          'reports',
        );
        trackMany(client, 1, 3);
        await client.close();
        equal(
          delivered.map(({ messageId }) => messageId),
          ['m3'],
          'delivered',
        );
        equal((await room.seen()).length, 11, 'attempts');
      },
    },
    {
      name: 'maxAttempts 1 does not try again',
      async run() {
        const { client, room } = await world(server, [500], { maxAttempts: 1 });
        trackMany(client, 1);
        equal(await client.flush(), { delivered: 0, failed: 1 }, 'counts');
        equal((await room.seen()).length, 1, 'attempts');
      },
    },
    {
      name: '429 waits as long as Retry-After says, and uses up no attempt',
      async run() {
        const { client, time } = await world(server, [...many(30, busy('7')), 500, 200], { maxAttempts: 2 });
        trackMany(client, 1);
        equal(await client.flush(), { delivered: 1, failed: 0 }, 'counts');
        equal(time.waits, [...Array.from({ length: 30 }, () => 7_000), 100], 'waits');
      },
    },
    {
      name: 'Retry-After may be a date; 429 without it counts as any failure; 503 with it waits that long',
      async run() {
        const date = new Date(Date.parse('2026-03-01T12:00:42Z')).toUTCString();
        const later = { status: 503, headers: { 'Retry-After': '30' } };
        const { client, time } = await world(server, [busy(date), 429, later, busy('soon'), busy('0'), 200]);
        trackMany(client, 1);
        await client.flush();
        equal(time.waits, [42_000, 100, 30_000, 400, 1_000], 'waits');
      },
    },
    {
      name: 'Retry-After may have a fraction; a text that is neither a number nor a date counts as none',
      async run() {
        const replies = ['12.5', '30.5', '3 ', '0.5', '-5', 'soon 5', '5, 10'].map(busy);
        const { client, time } = await world(server, [...replies, 200], { maxAttempts: 3 });
        trackMany(client, 1);
        equal(await client.flush(), { delivered: 1, failed: 0 }, 'counts');
        equal(time.waits, [12_500, 30_500, 3_000, 1_000, 1_000, 100, 200], 'waits');
      },
    },
    {
      name: 'after an hour of 429 in all the batch is reported',
      async run() {
        const { client, room, time, reports } = await world(server, [busy('1500')]);
        trackMany(client, 1);
        await client.flush();
        equal(time.waits, [1_500_000, 1_500_000, 600_000], 'waits');
        equal((await room.seen()).length, 3, 'attempts: none before Retry-After allows it');
        equal(
          reports.map(({ error }) => error.status),
          [429],
          'reports',
        );
      },
    },
    {
      name: '408 is tried again; any other 4xx and a redirect are final, with the code of the service',
      async run() {
        const refusal = { status: 401, body: '{"success":false,"code":"unknown_write_key","message":"No source."}' };
        const { client, room, reports } = await world(server, [
          408,
          refusal,
          413,
          { status: 302, headers: { Location: '/' } },
        ]);
        for (let i = 0; i < 3; i += 1) {
          trackMany(client, 1, i);
          await client.flush();
        }
        equal((await room.seen()).length, 4, 'attempts');
        const codes = reports.map(({ error }) => error.code);
        equal(codes.slice(0, 2), ['unknown_write_key', 'http_413'], 'codes');
        // A browser shows a script no more of a redirect.
        holds(codes[2] === 'http_302' || codes[2] === 'http_0', `the redirect: ${codes[2]}`);
        holds(reports[0]?.error.message.includes('No source.') === true, 'the reason of the service');
      },
    },
    {
      name: 'calls that the service rejects out of a batch are reported, the others delivered',
      async run() {
        const rejected = [{ index: 1, code: 'event_required', message: 'A track call needs "event".' }];
        const { client, delivered, reports } = await world(server, [
          { status: 200, body: JSON.stringify({ success: true, rejected }) },
        ]);
        trackMany(client, 3);
        equal(await client.flush(), { delivered: 2, failed: 1 }, 'counts');
        equal(
          delivered.map(({ messageId }) => messageId),
          ['m0', 'm2'],
          'delivered',
        );
        equal(
          reports.map(({ message, error }) => [message.messageId, error.code]),
          [['m1', 'event_required']],
          'reports',
        );
      },
    },
    {
      name: 'an answer of 200 that is not of the service is tried again, and no delivery',
      async run() {
        const strange = { status: 200, body: '<h1>Sign in to this network</h1>' };
        const refused = { status: 200, body: JSON.stringify({ success: false, code: 'unknown_write_key' }) };
        const odd = { status: 200, body: '{"success":"true"}' };
        const failing = { status: 503, body: '{"success":true}' };
        const { client, room, reports } = await world(server, [strange, refused, odd, failing, 200]);
        trackMany(client, 1);
        equal(await client.flush(), { delivered: 1, failed: 0 }, 'counts');
        equal((await room.seen()).length, 5, 'attempts');
        equal(reports, [], 'reports');
        const captive = await world(server, [strange, refused], { maxAttempts: 2 });
        trackMany(captive.client, 1);
        equal(await captive.client.flush(), { delivered: 0, failed: 1 }, 'counts');
        equal(
          captive.reports.map(({ error }) => error.code),
          ['unknown_write_key'],
          'reports',
        );
      },
    },
    {
      name: 'a connection that is reset is tried again; in the end the error says network',
      async run() {
        const { client, delivered, reports } = await world(server, ['reset', 'reset', 200]);
        trackMany(client, 1);
        equal(await client.flush(), { delivered: 1, failed: 0 }, 'counts');
        equal(delivered.length, 1, 'delivered');
        equal(reports, [], 'reports');
        const dead = await world(server, ['reset'], { maxAttempts: 2 });
        trackMany(dead.client, 1);
        await dead.client.flush();
        equal(
          dead.reports.map(({ error }) => error.code),
          ['network'],
          'reports',
        );
      },
    },
    {
      name: 'a server that never answers, or never ends its answer, is left after the timeout',
      async run() {
        const { client, room, time, reports } = await world(server, ['hang', 'head', 200]);
        trackMany(client, 1);
        const flushed = client.flush();
        for (const attempt of [1, 2]) {
          while ((await room.seen()).length < attempt);
          await time.pass(TIMEOUT);
        }
        equal(await flushed, { delivered: 1, failed: 0 }, 'counts');
        equal(time.pending(TIMEOUT), 0, 'timeouts left behind');
        const dead = await world(server, ['hang'], { maxAttempts: 1 });
        trackMany(dead.client, 1);
        const failed = dead.client.flush();
        while ((await dead.room.seen()).length < 1);
        await dead.time.pass(TIMEOUT);
        equal(await failed, { delivered: 0, failed: 1 }, 'counts');
        equal(
          [...reports, ...dead.reports].map(({ error }) => error.code),
          ['timeout'],
          'reports',
        );
      },
    },
    {
      name: 'a clock that jumps moves no timer, only sentAt',
      async run() {
        const { client, room, time } = await world(server, [500, 500, 200]);
        trackMany(client, 1);
        time.clock -= 86_400_000;
        await client.flush();
        equal(time.waits, [100, 200], 'waits');
        const [batch] = await room.batches();
        equal(
          [batch?.batch[0]?.['timestamp'], batch?.sentAt],
          ['2026-03-01T12:00:00.000Z', '2026-02-28T12:00:00.000Z'],
          'times',
        );
      },
    },
    {
      name: 'one batch is in flight at a time, so order is kept over retries',
      async run() {
        const { client, room } = await world(server, [500, 200], { flushAt: 2 });
        trackMany(client, 2);
        while ((await room.seen()).length < 1);
        trackMany(client, 2, 2);
        await client.flush();
        equal(
          (await room.batches()).map(({ batch }) => batch.map(({ messageId }) => messageId)),
          [ids(2), ids(2), ids(2, 2)],
          'batches',
        );
      },
    },
    {
      name: 'flush during flush: each counts what it found',
      async run() {
        const { client } = await world(server, ['reset', 200, 400]);
        trackMany(client, 2);
        const first = client.flush();
        trackMany(client, 0);
        const again = client.flush();
        equal(
          await Promise.all([first, again]),
          [
            { delivered: 2, failed: 0 },
            { delivered: 2, failed: 0 },
          ],
          'counts',
        );
        trackMany(client, 1, 2);
        equal(await client.flush(), { delivered: 0, failed: 1 }, 'later ones are not counted before');
        equal(await client.flush(), { delivered: 0, failed: 0 }, 'nothing left');
      },
    },
    {
      name: 'a flush does not count messages that came after it, however early they end',
      async run() {
        const { client, room, time } = await world(server, ['hang', 200], { flushAt: 1, maxQueue: 1 });
        trackMany(client, 1);
        while ((await room.seen()).length < 1);
        trackMany(client, 1, 1);
        const flushed = client.flush();
        // Each pushes out the one before: the first of these belongs to the flush, the second does not.
        trackMany(client, 2, 2);
        await time.pass(TIMEOUT);
        equal(await flushed, { delivered: 1, failed: 1 }, 'counts');
        equal(await client.close(), { delivered: 1, failed: 0 }, 'the last one');
      },
    },
    {
      name: 'close during a retry waits for its end; a second close too; anything else throws',
      async run() {
        const { client, room, delivered } = await world(server, [500, 500, 500, 500, 200]);
        trackMany(client, 1);
        const flushed = client.flush();
        while ((await room.seen()).length < 1);
        const closing = client.close();
        throws(() => trackMany(client, 1), 'closed');
        await rejects(client.flush(), 'closed');
        const counts = { delivered: 1, failed: 0 };
        equal(await Promise.all([flushed, closing, client.close()]), [counts, counts, counts], 'counts');
        equal(await client.close(), counts, 'a later close');
        equal(delivered.length, 1, 'delivered');
      },
    },
    {
      name: 'callbacks that throw, now or later, stop nothing and are logged',
      async run() {
        const lines: string[] = [];
        const { client } = await world(server, [200, 400], {
          onDelivered: () => Promise.reject(new Error('later')),
          onError() {
            throw new Error('now');
          },
          logger: { debug() {}, warn: (line) => lines.push(line) },
        });
        trackMany(client, 2);
        equal(await client.flush(), { delivered: 2, failed: 0 }, 'counts');
        trackMany(client, 1);
        equal(await client.flush(), { delivered: 0, failed: 1 }, 'counts');
        await null;
        equal(lines, ['millrace: onDelivered threw: Error: later', 'millrace: onError threw: Error: now'], 'lines');
      },
    },
    {
      name: 'a logger hears what is queued, sent, retried and lost, and never the write key',
      async run() {
        const lines: string[] = [];
        const logger = { debug: (line: string) => lines.push(line), warn: (line: string) => lines.push(`! ${line}`) };
        const { client } = await world(server, [500, 400], { logger, onError: undefined } as object);
        trackMany(client, 1);
        await client.flush();
        equal(
          lines.map((line) => line.replace(/queued .*/, 'queued …')),
          [
            'millrace: queued …',
            'millrace: sending 1 messages',
            'millrace: Answered 500: ; waiting 100 ms',
            'millrace: sending 1 messages',
            'millrace: Answered 400: ; waiting 0 ms',
            '! millrace: 1 messages lost: Answered 400: ',
          ],
          'lines',
        );
        holds(
          lines.every((line) => !line.includes('the-write-key')),
          'the write key is not in them',
        );
      },
    },
  ];
}

function many(count: number, reply: Reply): Reply[] {
  return Array.from({ length: count }, () => reply);
}

function busy(retryAfter: string): Reply {
  return { status: 429, headers: { 'Retry-After': retryAfter } };
}
