/**
 * Loaded into a process before its own code (`--import`): tells the process that connects to the socket of `HOLD_PROBE` for how long
 * the event loop was held, and how much memory was taken. `begin` and `end` are lines; each is answered with a line.
 */
import { existsSync, openSync, readFileSync, readSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

/** A turn of the loop that is shorter is no sign of work: the end of what a request began is waited for. */
const BUSY_MS = 0.5;
const QUIET_MS = 4;
const TIMEOUT_MS = 1_500;
/** Garbage beyond this is collected before a measurement, so that none is measured again as free room. */
const GARBAGE_BYTES = 16 * 1_048_576;

const CLEAR_REFS = '/proc/self/clear_refs';
const canReset = existsSync(CLEAR_REFS);

/** Where Linux says for how long this thread could have run, and another one had the processor. */
const SCHEDULER = '/proc/thread-self/schedstat';
const scheduler = existsSync(SCHEDULER) ? openSync(SCHEDULER, 'r') : null;
const schedule = Buffer.alloc(100);

let floor = 0;
let rssBefore = 0;
let peak = 0;
let running = false;
let last = 0;
let keptWaiting = 0;
let longest = 0;
let busyAt = 0;
let endAsked: { readonly at: number; readonly answer: () => void } | null = null;

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

function begin(): void {
  endAsked = null;
  if (process.memoryUsage.rss() > floor + GARBAGE_BYTES) {
    collectGarbage();
    floor = process.memoryUsage.rss();
  }
  if (canReset) writeFileSync(CLEAR_REFS, '5');
  rssBefore = process.memoryUsage.rss();
  floor = Math.min(floor, rssBefore);
  peak = rssBefore;
  longest = 0;
  last = performance.now();
  keptWaiting = waitedMs();
  if (!running) setImmediate(turn);
  running = true;
}

/** Milliseconds, since the thread began, that it waited for a processor. Other processes' work is no work of this one. */
function waitedMs(): number {
  if (scheduler === null) return 0;
  const length = readSync(scheduler, schedule, 0, schedule.length, 0);
  return Number(schedule.toString('latin1', 0, length).split(' ')[1]) / 1_000_000;
}

/** Once in each turn of the loop: the time since the last one is for how long no other work had a turn. */
function turn(): void {
  if (!running) return;
  const now = performance.now();
  const waited = waitedMs();
  const held = now - last - (waited - keptWaiting);
  if (held > longest) longest = held;
  if (held > BUSY_MS) busyAt = now;
  if (held > BUSY_MS && !canReset) peak = Math.max(peak, process.memoryUsage.rss());
  last = now;
  keptWaiting = waited;
  if (endAsked !== null) {
    const quiet = now - Math.max(busyAt, endAsked.at);
    if (quiet > QUIET_MS || now - endAsked.at > TIMEOUT_MS) {
      running = false;
      endAsked.answer();
      return;
    }
  }
  setImmediate(turn);
}

/** The most that was resident since `begin`, in bytes. */
function peakMemory(): number {
  if (!canReset) return peak;
  const [, kilobytes] = /^VmHWM:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return Number(kilobytes) * 1_024;
}

function answerEnd(socket: Socket): void {
  const bytes = Math.max(0, peakMemory() - rssBefore);
  socket.write(`${JSON.stringify({ held: longest, bytes })}\n`);
}

const path = process.env['HOLD_PROBE'];
if (isMainThread && path !== undefined) {
  const server = createServer((socket) => {
    socket.unref();
    socket.on('error', () => {});
    // A test that was killed asks no more: the process may end.
    socket.on('close', () => {
      running = false;
    });
    socket.on('data', (line) => {
      if (line.toString() === 'begin\n') {
        begin();
        socket.write('{}\n');
      } else {
        endAsked = { at: performance.now(), answer: () => answerEnd(socket) };
        if (!running) endAsked.answer();
      }
    });
  });
  server.listen(path).unref();
}
