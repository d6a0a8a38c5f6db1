/**
 * The endpoint where there is no C compiler: does and answers what native/receiver.c does, at about three times the cost.
 */
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createHistogram } from 'node:perf_hooks';
import { monotonicMicros } from '../monotonic.ts';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const ERROR = 'HTTP/1.1 500 Internal Server Error\r\nContent-Length: 5\r\n\r\nerror';
const SLOW_MS = 100;
const HEAD_END = Buffer.from('\r\n\r\n');

const latency = createHistogram();
let counts = { ok: 0, error: 0, hung: 0, bytes: 0 };

const server = createServer({ noDelay: true }, (socket) => {
  let rest: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    rest = serveWhole(socket, rest.length === 0 ? chunk : Buffer.concat([rest, chunk]));
  });
  socket.on('error', () => socket.destroy());
});
server.listen(0, '127.0.0.1', () => console.log(`listening on ${(server.address() as AddressInfo).port}`));
process.stdin.once('end', () => process.exit(0)).resume();

/** Answers what is left of the last request. */
function serveWhole(socket: Socket, bytes: Buffer): Buffer {
  let at = 0;
  for (;;) {
    const headEnd = bytes.indexOf(HEAD_END, at);
    if (headEnd < 0) break;
    const head = bytes.toString('latin1', at, headEnd);
    const bodyAt = headEnd + HEAD_END.length;
    const end = bodyAt + Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
    if (bytes.length < end) break;
    serve(socket, head, bytes.subarray(bodyAt, end));
    at = end;
  }
  return bytes.subarray(at);
}

function serve(socket: Socket, head: string, body: Buffer): void {
  if (head.startsWith('GET /reset')) {
    counts = { ok: 0, error: 0, hung: 0, bytes: 0 };
    latency.reset();
    socket.write(OK);
  } else if (head.startsWith('GET /stats')) {
    const stats = JSON.stringify({ ...counts, ...percentiles() });
    socket.write(
      `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${stats.length}\r\n\r\n${stats}`,
    );
  } else if (head.startsWith('POST /hang')) {
    counts.hung++;
  } else if (head.startsWith('POST /error')) {
    counts.error++;
    socket.write(ERROR);
  } else if (head.startsWith('POST /slow')) {
    setTimeout(() => {
      counts.ok++;
      socket.write(OK);
    }, SLOW_MS);
  } else {
    counts.ok++;
    counts.bytes += body.length;
    measure(body);
    socket.write(OK);
  }
}

function measure(body: Buffer): void {
  const mark = body.indexOf('"t":');
  if (mark < 0) return;
  const took = monotonicMicros() - Number.parseInt(body.toString('latin1', mark + 4, mark + 24), 10);
  if (took >= 0) latency.record(Math.max(1, took));
}

function percentiles(): object {
  const at = (percent: number): number => (latency.count === 0 ? 0 : latency.percentile(percent));
  return {
    measured: latency.count,
    p50: at(50),
    p90: at(90),
    p99: at(99),
    p999: at(99.9),
    max: latency.count === 0 ? 0 : latency.max,
  };
}
