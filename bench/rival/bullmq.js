/**
 * What one would build instead: Fastify takes the calls, BullMQ keeps them in Redis, a worker posts them with fetch. As
 * its documentation would have it written: bulk adds, attempts with backoff, finished jobs removed.
 *
 * Plain JavaScript in a package of its own: what it needs is installed by the benchmark alone, and never with the
 * workspace, whose `npm ci` its optional native parts would break.
 *
 * Arguments: Redis's port, the receiver's origin. Prints "listening on <port>"; GET /counts answers
 * `{"accepted","processed"}`.
 */
import { Queue, Worker } from 'bullmq';
import Fastify from 'fastify';
import { Redis } from 'ioredis';

const CONCURRENCY = 100;
const JOB = { attempts: 10, backoff: { type: 'exponential', delay: 5_000 }, removeOnComplete: true };

const [redisPort, receiver] = process.argv.slice(2);
const connection = new Redis(Number(redisPort), '127.0.0.1', { maxRetriesPerRequest: null });
const url = `${receiver}/ok`;
const queue = new Queue('calls', { connection });
let accepted = 0;
let processed = 0;

const worker = new Worker(
  'calls',
  async ({ data }) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'Millrace/1.0' },
      body: JSON.stringify(data),
      signal: AbortSignal.timeout(5_000),
    });
    await response.text();
    if (!response.ok) throw new Error(`Status ${response.status}`);
  },
  { connection, concurrency: CONCURRENCY },
);
worker.on('completed', () => processed++);
worker.on('error', (error) => console.error(error));

const app = Fastify({ bodyLimit: 512_000 });
app.post('/v1/batch', async ({ body }) => {
  await queue.addBulk(body.batch.map((call) => ({ name: 'call', data: message(call), opts: JOB })));
  accepted += body.batch.length;
  return { success: true };
});
app.post('/v1/track', async ({ body }) => {
  await queue.add('call', message(body), JOB);
  accepted++;
  return { success: true };
});
app.get('/counts', () => ({ accepted, processed }));
await app.listen({ port: 0, host: '127.0.0.1' });
console.log(`listening on ${app.server.address().port}`);

function message(call) {
  return { version: 1, ...call, receivedAt: new Date().toISOString() };
}
