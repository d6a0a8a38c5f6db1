/**
 * The load generator, a process of its own: raw sockets with keep-alive, requests built beforehand. Takes a LoadPlan as
 * its argument and prints a LoadResult, both JSON.
 */
import { connect, type Socket } from 'node:net';
import { createHistogram } from 'node:perf_hooks';
import { type PreparedRequest, prepareRequest } from './calls.ts';
import { monotonicMicros } from './monotonic.ts';

export interface LoadPlan {
  readonly port: number;
  /** The connections take these in turn. */
  readonly writeKeys: readonly string[];
  readonly callsPerRequest: number;
  readonly connections: number;
  /** Ends after this time, or after `events` calls where that comes first. */
  readonly seconds: number;
  readonly events: number | null;
  /** Calls per second, however long answers take (an open loop); null sends the next request when one is answered. */
  readonly perSecond: number | null;
  readonly stamped: boolean;
  readonly run: string;
  /** Number of the first call. */
  readonly first: number;
  /** See RequestShape. */
  readonly crowd: number | null;
}

export interface LoadResult {
  /** Calls in requests that were answered 200 with nothing rejected. */
  readonly accepted: number;
  /** Calls in requests that were answered otherwise, by status (`rejected`: a 200 that names rejected calls). */
  readonly refused: Readonly<Record<string, number>>;
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** Milliseconds from sending a request to its answer. */
  readonly answerP50: number;
  readonly answerP99: number;
}

/** A refused request is followed by this pause, as a client would make: the refusals must not become the load. */
const PAUSE_AFTER_REFUSAL_MS = 20;

const plan = JSON.parse(process.argv[2] ?? '') as LoadPlan;
const answerMicros = createHistogram();
const refused: Record<string, number> = {};
const idle: Line[] = [];
let accepted = 0;
let nextNumber = plan.first;
let underWay = 0;
let ended = false;
let finished = false;

/** One connection, and the request that is its own. */
interface Line {
  readonly socket: Socket;
  readonly request: PreparedRequest;
  sentAt: number;
  answer: string;
}

const lines = await Promise.all(
  Array.from({ length: plan.connections }, (_, i) => openLine(plan.writeKeys[i % plan.writeKeys.length] ?? '')),
);
const startedAt = monotonicMicros();
const startCpu = process.cpuUsage();
if (plan.perSecond === null) for (const line of lines) send(line, monotonicMicros());
else {
  idle.push(...lines);
  pace(plan.perSecond);
}

async function openLine(writeKey: string): Promise<Line> {
  const socket = connect(plan.port, '127.0.0.1');
  socket.setNoDelay(true);
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  const request = prepareRequest({ ...plan, writeKey, calls: plan.callsPerRequest });
  const line: Line = { socket, request, sentAt: 0, answer: '' };
  socket.on('data', (chunk) => receive(line, chunk));
  socket.once('close', () => lost(line));
  socket.on('error', () => socket.destroy());
  return line;
}

function isOver(): boolean {
  if (plan.events !== null && nextNumber - plan.first >= plan.events) return true;
  return monotonicMicros() - startedAt >= plan.seconds * 1e6;
}

/** Sends at the rate of the plan. What finds no free connection waits for one and keeps the stamp of its due time. */
function pace(perSecond: number): void {
  const waiting: number[] = [];
  let due = 0;
  const tick = setInterval(() => {
    const now = monotonicMicros();
    if (isOver()) {
      clearInterval(tick);
      end();
      return;
    }
    const dueNow = Math.floor((((now - startedAt) / 1e6) * perSecond) / plan.callsPerRequest);
    for (; due < dueNow; due++) waiting.push(now);
    while (waiting.length > 0) {
      const line = idle.shift();
      if (!line) return;
      send(line, waiting.shift() ?? now);
    }
  }, 1);
}

function send(line: Line, stamp: number): void {
  line.request.renew(nextNumber, stamp);
  nextNumber += line.request.calls;
  line.sentAt = stamp;
  underWay++;
  line.socket.write(line.request.bytes);
}

function receive(line: Line, chunk: Buffer): void {
  line.answer += chunk.toString('latin1');
  if (!isWhole(line.answer)) return;
  const { answer } = line;
  line.answer = '';
  underWay--;
  const micros = monotonicMicros() - line.sentAt;
  answerMicros.record(Math.max(1, micros));
  const good = answer.startsWith('HTTP/1.1 200') && !answer.includes('"rejected"');
  if (good) {
    accepted += line.request.calls;
    release(line);
  } else {
    refuse(answer.startsWith('HTTP/1.1 200') ? 'rejected' : answer.slice(9, 12), line.request.calls);
    setTimeout(() => release(line), PAUSE_AFTER_REFUSAL_MS);
  }
}

function release(line: Line): void {
  if (plan.perSecond !== null) idle.push(line);
  else if (isOver()) end();
  else send(line, monotonicMicros());
  if (ended && underWay === 0) finish();
}

function isWhole(answer: string): boolean {
  const headEnd = answer.indexOf('\r\n\r\n');
  if (headEnd < 0) return false;
  const length = /content-length: *(\d+)/i.exec(answer)?.[1];
  return length === undefined || answer.length >= headEnd + 4 + Number(length);
}

/** A server that closes a connection under load has failed the run: it ends here, with what it has. */
function lost(line: Line): void {
  if (!finished) refuse('closed', line.request.calls);
  finish();
}

function refuse(why: string, calls: number): void {
  refused[why] = (refused[why] ?? 0) + calls;
}

function end(): void {
  ended = true;
  if (underWay === 0) finish();
}

function finish(): void {
  if (finished) return;
  finished = true;
  const { user, system } = process.cpuUsage(startCpu);
  const result: LoadResult = {
    accepted,
    refused,
    seconds: (monotonicMicros() - startedAt) / 1e6,
    cpuSeconds: (user + system) / 1e6,
    answerP50: answerMicros.percentile(50) / 1000,
    answerP99: answerMicros.percentile(99) / 1000,
  };
  process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
}
