/**
 * Ceiling: POST out. Sends one prepared body again and again through an undici pool's `dispatch`, with as many under way
 * as there are connections; over HTTP/2 as many on one. Arguments: the receiver's origin, seconds, `h1` or `h2`. Prints `{"events","seconds","cpuSeconds"}`.
 */
import { Pool } from 'undici';
import { callText } from '../calls.ts';

const CONNECTIONS = 64;
const WARM_SECONDS = 1;

const [origin = '', length, protocol] = process.argv.slice(2);
const seconds = Number(length);
const pool = new Pool(
  origin,
  protocol === 'h2'
    ? { connections: 1, allowH2: true, pipelining: CONNECTIONS, maxConcurrentStreams: CONNECTIONS }
    : { connections: CONNECTIONS },
);
const options = {
  path: '/ok',
  method: 'POST' as const,
  headers: ['content-type', 'application/json', 'user-agent', 'Millrace/1.0'],
  body: Buffer.from(callText({ run: 'ceilng', stamped: false })),
};

await sendFor(WARM_SECONDS);
const cpu = process.cpuUsage();
const startedAt = performance.now();
const events = await sendFor(seconds);
const { user, system } = process.cpuUsage(cpu);
console.log(
  JSON.stringify({ events, seconds: (performance.now() - startedAt) / 1000, cpuSeconds: (user + system) / 1e6 }),
);
await pool.close();

/** Answers how many requests were answered. */
function sendFor(duration: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const until = performance.now() + duration * 1000;
    let underWay = CONNECTIONS;
    let done = 0;
    const handler = {
      onRequestStart() {},
      onResponseStart() {},
      onResponseData() {},
      onResponseEnd() {
        done++;
        if (performance.now() < until) pool.dispatch(options, handler);
        else if (--underWay === 0) resolve(done);
      },
      onResponseError(_: unknown, error: Error) {
        reject(error);
      },
    };
    for (let i = 0; i < CONNECTIONS; i++) pool.dispatch(options, handler);
  });
}
