import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import type { Counts } from '../admin/contract.ts';
import type { App } from '../app.ts';
import { parseConfig } from '../config.ts';
import { pause } from '../core/pause.ts';
import { refusalText } from '../import/answer.ts';
import { LogOutput } from '../observe/log-output.ts';
import { createLogger } from '../observe/logger.ts';
import { numberUpTo, wholeNumber } from './arguments.ts';
import { arrivalLine, Tally } from './arrivals.ts';
import { attach } from './attach.ts';
import { Client, collect } from './client.ts';
import { endOf } from './ending.ts';
import { signInHint } from './first-steps.ts';
import { CommandFailure, EXIT, type ExitCode, failing, type Io } from './io.ts';
import { countsText, paintFor } from './paint.ts';
import { startReceiver } from './receiver.ts';
import { type Call, shopCalls } from './shop.ts';

interface DemoFlags {
  readonly rate: number;
  readonly count?: number;
  readonly seconds?: number;
  readonly port: number;
  readonly dataDir?: string;
}

/** `millrace demo`: shows the whole way of a call, without any setup. */
export function demoCommand(io: Io, end: (code: ExitCode) => void): Command {
  return new Command('demo')
    .description('see it work: the service, a receiver and a stream of calls, all on this machine')
    .option('--rate <rate>', 'calls per second', numberUpTo(2_000), 3)
    .option('--count <count>', 'end after so many calls', wholeNumber(1, 1_000_000_000))
    .option('--seconds <seconds>', 'end after so many seconds', numberUpTo(1_000_000))
    .option('--port <port>', 'port of the service; 0 picks a free one', wholeNumber(0, 65_535), 0)
    .option('--data-dir <folder>', 'keep the data there (default: a temporary folder, removed at the end)')
    .addHelpText(
      'after',
      `
Starts the service with webhooks allowed to this machine, makes a source and a destination with a shared secret through
the admin API, sends what the visitors of a small web shop do, and prints each signed request as it arrives and is
verified. Runs until Ctrl-C; then every accepted call is accounted for. Exit code 1 when one did not arrive.

Examples:
  $ millrace demo
  $ millrace demo --rate 200 --seconds 10
  $ millrace demo --data-dir ./demo-data          to look around afterwards with millrace start`,
    )
    .action(async (flags: DemoFlags) => end(await demo(io, flags)));
}

const SOURCE = 'Demo web shop';
const DESTINATION = 'Demo receiver';

async function demo(io: Io, flags: DemoFlags): Promise<ExitCode> {
  const ending = endOf(io);
  const dataDir = flags.dataDir ?? (await mkdtemp(join(tmpdir(), 'millrace-demo-')));
  try {
    const token = randomBytes(24).toString('base64url');
    const app = await startService(io, dataDir, flags.port, token);
    try {
      return await run(io, flags, app, token, ending.signal);
    } finally {
      await app.stop();
    }
  } finally {
    ending.done();
    if (flags.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
  }
}

async function startService(io: Io, dataDir: string, port: number, adminToken: string): Promise<App> {
  // Reads no environment: a demo runs the same everywhere, and never touches the data of a real installation.
  const config = parseConfig({
    env: {},
    flags: {
      dataDir,
      port,
      adminToken,
      allowPrivateUrls: true,
      logLevel: 'warn',
    },
  });
  const { startApp } = await import('../app.ts');
  const log = createLogger({ level: config.logLevel, to: new LogOutput(io) });
  return startApp(config, log).catch(failing('cannot start the service'));
}

async function run(io: Io, flags: DemoFlags, app: App, token: string, signal: AbortSignal): Promise<ExitCode> {
  const paint = paintFor(io.out);
  const client = new Client({ url: app.url, token, tokenFrom: 'the demo' });
  const secret = randomBytes(24).toString('base64url');
  const tally = new Tally();
  const receiver = await startReceiver({
    host: '127.0.0.1',
    port: 0,
    secrets: [secret],
    status: 200,
    delay: 0,
    failing: 0,
    random: Math.random,
    onArrival: (arrival) => void io.out.write(`${arrivalLine(arrival, tally.add(arrival), paint)}\n`),
  });
  try {
    const { source, destination } = await attach(client, {
      url: receiver.url,
      secret,
      destinationName: DESTINATION,
      newSource: SOURCE,
      source: undefined,
    });
    io.out.write(
      `${paint.strong('Millrace demo')}: ${app.url} → signed POSTs → ${receiver.url}. Ctrl-C ends it.
${signInHint(app.url, app.makeSignInPath())}To send a call of your own, in another terminal:
  npx millrace send --url ${app.url} --write-key ${source.writeKey}

`,
    );
    const before = await client.call('GET /api/destinations/:id/counts', destination.id);
    const sent = await sendStory(app.url, source.writeKey, flags, signal);
    const counts = await settled(client, destination.id);
    io.out.write(`\n${tally.summary()}\n${countsText(counts)}\n`);
    const accepted = counts.accepted - before.accepted;
    const whole = accepted >= sent && counts.waiting === 0 && tally.messages >= accepted && tally.bad === 0;
    if (!whole) io.err.write(`millrace: not everything arrived: sent ${sent}, accepted ${accepted}\n`);
    return whole ? EXIT.ok : EXIT.failed;
  } finally {
    await receiver.stop();
  }
}

/** How often calls are sent, milliseconds. Calls that are due together go in one request, as from a client library. */
const BEAT = 50;
const BATCH = 500;

/** Sends the story until the count, the time or the signal ends it. Answers the number of sent calls. */
async function sendStory(url: string, writeKey: string, flags: DemoFlags, signal: AbortSignal): Promise<number> {
  const story = shopCalls(Math.random);
  const began = Date.now();
  const most = flags.count ?? Number.POSITIVE_INFINITY;
  const seconds = flags.seconds ?? Number.POSITIVE_INFINITY;
  let sent = 0;
  while (!signal.aborted && sent < most) {
    const elapsed = (Date.now() - began) / 1000;
    if (elapsed >= seconds) break;
    const due = Math.min(most, Math.floor(elapsed * flags.rate) + 1) - sent;
    const calls = takeCalls(story, Math.min(due, BATCH));
    if (calls.length > 0) await sendCalls(url, writeKey, calls);
    sent += calls.length;
    await pause(BEAT, signal);
  }
  return sent;
}

function takeCalls(story: Generator<Call, never>, count: number): Call[] {
  return Array.from({ length: Math.max(0, count) }, () => story.next().value);
}

async function sendCalls(url: string, writeKey: string, calls: readonly Call[]): Promise<void> {
  const [only] = calls;
  const answer =
    calls.length === 1 && only
      ? await collect(url, `/v1/${only.type}`, writeKey, JSON.stringify(only))
      : await collect(url, '/v1/batch', writeKey, JSON.stringify({ batch: calls, sentAt: new Date().toISOString() }));
  if (!answer.ok) throw new CommandFailure(`the service refused a call: ${refusalText(answer)}`);
}

const SETTLING_MS = 10_000;
const LOOK_MS = 50;

/** The destination's counts as soon as no message waits; those after `SETTLING_MS` if messages still wait then. */
async function settled(client: Client, destinationId: string): Promise<Counts> {
  const deadline = AbortSignal.timeout(SETTLING_MS);
  let counts = await client.call('GET /api/destinations/:id/counts', destinationId);
  while (counts.waiting > 0 && !deadline.aborted) {
    await pause(LOOK_MS, deadline);
    counts = await client.call('GET /api/destinations/:id/counts', destinationId);
  }
  return counts;
}
