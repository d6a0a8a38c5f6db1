import { randomBytes } from 'node:crypto';
import { Command, Option } from 'commander';
import { readJson } from '../core/json.ts';
import { aborted } from '../core/pause.ts';
import { several, share, waitOption, wholeNumber } from './arguments.ts';
import { arrivalLine, Tally } from './arrivals.ts';
import { type Attached, type AttachOptions, attach, signWith } from './attach.ts';
import { type Client, Refused } from './client.ts';
import { confirmed } from './confirm.ts';
import { connect, type ServiceFlags, shownName, withServiceFlags } from './connection.ts';
import { endOf } from './ending.ts';
import { CommandFailure, EXIT, type ExitCode, type Io, usageFailure } from './io.ts';
import { paintFor, printable } from './paint.ts';
import { startReceiver } from './receiver.ts';

interface ListenFlags extends ServiceFlags {
  readonly port: number;
  readonly host: string;
  readonly secret?: readonly string[];
  readonly status: number;
  readonly delay: number;
  readonly fail: number;
  readonly connect?: true;
  readonly allowLoopback?: true;
  readonly publicUrl?: string;
  readonly source?: string;
  readonly count?: number;
  readonly json?: true;
  readonly quiet?: true;
}

/** `millrace listen`: a webhook endpoint that shows what arrives, and fails on request. */
export function listenCommand(io: Io, end: (code: ExitCode) => void): Command {
  const command = new Command('listen')
    .description('receive webhooks: print and verify what arrives, or misbehave on request')
    .option('--port <port>', 'port to listen on; 0 picks a free one', wholeNumber(0, 65_535), 8090)
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option(
      '--secret <secret>',
      'a secret of the destination, whsec_… too, or a whpk_… key: one must fit; may be given again (MILLRACE_LISTEN_SECRET)',
      several,
    )
    .option('--status <status>', 'answer everything with this status', wholeNumber(200, 599), 200)
    .addOption(waitOption('--delay <duration>', 'wait so long before answering', '0s'))
    .addOption(
      new Option('--fail <share>', 'answer 500 to a random share of requests, like 20%')
        .argParser(share)
        .default(0, '0%'),
    )
    .option('--count <count>', 'end after so many requests', wholeNumber(1, 1_000_000_000))
    .option('--json', 'print bodies, indented')
    .option('--quiet', 'print no line for each request')
    .option('--connect', 'make a destination of the service that sends here (and a source, where there is none)')
    .option('--allow-loopback', 'with --connect: let the service send to this machine until it ends, without asking')
    .option('--public-url <url>', 'with --connect: what the service shall send to, when that is another address')
    .option('--source <source>', 'with --connect: name or id of the source, where there are several');
  return withServiceFlags(command)
    .addHelpText(
      'after',
      `
Ends with Ctrl-C (exit code 0), or after --count requests; with 1 when a signature was wrong or missing.
The destination that --connect makes is called "${DESTINATION}" and stays: what is sent while no command listens is retried,
and arrives when you listen again.

Examples:
  $ millrace listen --connect --allow-loopback    the receiving end of a first trial
  $ millrace listen --secret s3cret --json        for a destination made by hand
  $ millrace listen --connect --status 503        an outage, to see the retries
  $ millrace listen --connect --delay 6s          too slow: the service waits 5 s by default
  $ millrace listen --connect --fail 20%          flaky`,
    )
    .action(async (flags: ListenFlags) => end(await listen(io, flags)));
}

const DESTINATION = 'millrace listen';

async function listen(io: Io, flags: ListenFlags): Promise<ExitCode> {
  const { allowLoopback, publicUrl, source } = flags;
  if (!flags.connect && (allowLoopback ?? publicUrl ?? source) !== undefined)
    throw usageFailure('--allow-loopback, --public-url and --source need --connect');
  const paint = paintFor(io.out);
  const client = flags.connect ? await connect(io, flags) : null;
  const ofEnvironment = io.env['MILLRACE_LISTEN_SECRET'];
  const given = flags.secret ?? (ofEnvironment ? [ofEnvironment] : []);
  const secrets = given.length === 0 && client ? [randomBytes(24).toString('base64url')] : given;
  const [secret = null] = secrets;
  if (client && secret?.startsWith('whpk_'))
    throw usageFailure('--connect needs a secret to sign with, not a public key');
  const tally = new Tally();
  const counted = new AbortController();
  const receiver = await startReceiver({
    ...flags,
    failing: flags.fail,
    secrets,
    random: Math.random,
    onArrival(arrival) {
      const again = tally.add(arrival);
      if (!flags.quiet) io.out.write(`${arrivalLine(arrival, again, paint)}\n`);
      if (flags.json) io.out.write(`${indented(arrival.text)}\n`);
      if (tally.arrivals === flags.count) counted.abort();
    },
  });
  const ending = endOf(io);
  try {
    if (client && secret !== null) {
      const url = flags.publicUrl ?? receiver.url;
      const attached = await attachHere(io, client, flags, {
        url,
        secret,
        destinationName: DESTINATION,
        newSource: 'First source',
        source: flags.source,
      });
      io.out.write(attachedText(attached, client.url));
    }
    io.out.write(
      `Receiving on ${receiver.url}${secret === null ? ' (no --secret: signatures are not checked)' : ''}\n`,
    );
    await aborted(AbortSignal.any([ending.signal, counted.signal]));
  } finally {
    ending.done();
    await receiver.stop();
  }
  io.out.write(`${tally.summary()}\n`);
  return tally.bad > 0 ? EXIT.failed : EXIT.ok;
}

/** Attaches. If the service may not send to this machine, the user can allow it until the service ends. */
async function attachHere(io: Io, client: Client, flags: ListenFlags, options: AttachOptions): Promise<Attached> {
  try {
    return await attach(client, options);
  } catch (error) {
    const { cause, message } = error as Error;
    if (!(cause instanceof Refused) || cause.code !== 'address_not_allowed') throw error;
    const { canBeAllowed, allowed } = await client.call('GET /api/loopback');
    const question = 'The service sends to public addresses only. Let it send to this machine until it ends? [y/N] ';
    if (!canBeAllowed || allowed) throw error;
    if (!(flags.allowLoopback || (await confirmed(io, question)))) {
      throw new CommandFailure(`${message}\nOr let it send here until it ends: --allow-loopback.`, { cause: error });
    }
    // Held messages are sent at once when sending is allowed, so first set the secret that is checked here.
    await signWith(client, options);
    await client.call('POST /api/loopback/allow');
    return attach(client, options);
  }
}

function attachedText({ source, destination, made }: Attached, url: string): string {
  const isPaused = destination.paused !== null || destination.settings.webhooks.some(({ paused }) => paused);
  const sends = isPaused ? 'is paused: calls come here once you resume it on its page' : 'sends signed calls here';
  return `Source ${shownName(source)}${made.source ? ', new' : ''}, write key ${source.writeKey}
Destination ${shownName(destination)}${made.destination ? ', new' : ''}, ${sends}

Send a call, in another terminal:
  npx millrace send --url ${url} --write-key ${source.writeKey}
or
  curl -u ${source.writeKey}: ${url}/v1/track -H 'Content-Type: application/json' \\
    -d '{"userId":"u1","event":"Order Completed","properties":{"total":12.5}}'

`;
}

/** A body, formatted for people. A body that is not JSON, and so not from Millrace, is unchanged. */
function indented(text: string): string {
  const json = readJson(text);
  return json === undefined ? printable(text) : JSON.stringify(json, null, 2);
}
