import { Command, Option } from 'commander';
import type { Destination, NewReplay, Replay, ReplayPreview } from '../admin/contract.ts';
import { byName } from '../core/named.ts';
import { pause } from '../core/pause.ts';
import { wholeNumber } from './arguments.ts';
import { type Client, Refused } from './client.ts';
import { connect, noneNamed, type ServiceFlags, shownName, withServiceFlags } from './connection.ts';
import { EXIT, type ExitCode, type Io, usageFailure } from './io.ts';
import { counted, countsText, grouped, printable } from './paint.ts';
import { withProgress } from './progress.ts';

interface ReplayFlags extends ServiceFlags {
  readonly state: 'failed' | 'all';
  readonly from?: string;
  readonly to?: string;
  readonly event?: string;
  readonly user?: string;
  readonly error?: string;
  readonly rate: number;
  readonly dryRun?: true;
  readonly detach?: true;
  readonly watch?: string;
  readonly stop?: string;
}

/** `millrace replay`: sends messages of a destination again. */
export function replayCommand(io: Io, end: (code: ExitCode) => void): Command {
  const command = new Command('replay')
    .description('send failed messages, or a window of time, again')
    .argument('[destination]', 'its name or id')
    .addOption(
      new Option('--state <state>', 'failed: what failed; all: every event of its sources, sent before or not')
        .choices(['failed', 'all'])
        .default('failed'),
    )
    .option('--from <time>', 'only what was received at or after it, ISO 8601')
    .option('--to <time>', 'only what was received before it, ISO 8601 (default: now)')
    .option('--event <name>', 'only track calls of this event, pages and screens of this name')
    .option('--user <id>', 'only calls of this userId')
    .option('--error <kind>', 'only what failed in this way: 503, 4xx, timeout')
    .option('--rate <count>', 'messages per second', wholeNumber(1, 10_000), 100)
    .option('--dry-run', 'only count them, and show the first few')
    .option('--detach', 'do not wait for the end')
    .addOption(
      new Option('--watch <replay>', 'wait for the end of one that runs').conflicts(['stop', 'dryRun', 'detach']),
    )
    .addOption(new Option('--stop <replay>', 'stop one that runs').conflicts(['dryRun', 'detach']));
  return withServiceFlags(command)
    .addHelpText(
      'after',
      `
Replayed messages go back to waiting with a new retry window and the same bytes: receivers know them by their messageId.
Ctrl-C stops the replay; with --detach it runs on, and --watch and --stop take the id that was printed.
Exit code 0 when all are back on their way, 1 when the replay was stopped.

Examples:
  $ millrace replay CRM --dry-run
  $ millrace replay CRM --rate 50
  $ millrace replay CRM --state all --from 2026-11-20T00:00Z --to 2026-11-21T00:00Z --event "Order Completed"`,
    )
    .action(async (named: string | undefined, flags: ReplayFlags) => end(await replay(io, named, flags)));
}

async function replay(io: Io, named: string | undefined, flags: ReplayFlags): Promise<ExitCode> {
  if (named !== undefined && (flags.stop ?? flags.watch) !== undefined)
    throw usageFailure('--stop and --watch name a replay: leave out the destination');
  const client = await connect(io, flags);
  if (flags.stop !== undefined)
    return reportEnd(io, client, await client.call('POST /api/replays/:id/stop', flags.stop), EXIT.ok);
  if (flags.watch !== undefined)
    return watch(io, client, () => client.call('GET /api/replays/:id', String(flags.watch)), false);
  if (named === undefined) throw usageFailure('which destination? Give its name or id: millrace replay DESTINATION');
  const destination = oneDestination(await client.destinations(), named);
  const request = requestFor(destination, flags);
  if (flags.dryRun) {
    io.out.write(previewText(await client.previewReplay(request), destination));
    return EXIT.ok;
  }
  const begin = async (): Promise<Replay> => {
    const begun = await client.createReplay(request);
    io.out.write(`Replay ${begun.id}: ${counted(begun.total, 'message')} to ${shownName(destination)}\n`);
    return begun;
  };
  if (!flags.detach) return watch(io, client, begin, true);
  await begin();
  return EXIT.ok;
}

function oneDestination(destinations: readonly Destination[], named: string): Destination {
  const [destination, ...more] = byName(destinations, named);
  if (destination === undefined) throw noneNamed('destination', destinations, named);
  if (more.length === 0) return destination;
  throw usageFailure(
    `several destinations have this name; give the id: ${[destination, ...more].map(shownName).join(', ')}`,
  );
}

function requestFor({ id }: Destination, flags: ReplayFlags): NewReplay {
  return {
    destinationId: id,
    state: flags.state,
    from: flags.from ?? null,
    to: flags.to ?? null,
    filter: { event: flags.event ?? null, userId: flags.user ?? null, error: flags.error ?? null },
    perSecond: flags.rate,
  };
}

function previewText({ count, sample }: ReplayPreview, destination: Destination): string {
  const lines = sample.map(({ receivedAt, type, event, userId, messageId }) => {
    return `  ${receivedAt}  ${type.padEnd(8)}  ${[event, userId, messageId].map((text) => printable(text ?? '-')).join('  ')}\n`;
  });
  const more = count > sample.length ? `  and ${grouped(count - sample.length)} more\n` : '';
  return `${counted(count, 'message')} would go to ${shownName(destination)} again\n${lines.join('')}${more}`;
}

const LOOK_MS = 250;

/** Shows the progress of a replay until it ends. With `stops`, a signal stops the replay itself. */
async function watch(io: Io, client: Client, begin: () => Promise<Replay>, stops: boolean): Promise<ExitCode> {
  const end = await withProgress(io, async (progress, signal) => {
    // Signals are handled from here on, so a replay that is being created is stopped too.
    let state = await begin();
    while (state.status === 'running' && !signal.aborted) {
      const { done, total } = state;
      progress.show(total === 0 ? 1 : done / total, `${grouped(done)} of ${grouped(total)}`);
      await pause(LOOK_MS, signal);
      state = await client.call('GET /api/replays/:id', state.id);
    }
    return state.status === 'running' && stops ? client.call('POST /api/replays/:id/stop', state.id) : state;
  });
  return reportEnd(io, client, end, end.status === 'done' ? EXIT.ok : EXIT.failed);
}

async function reportEnd(
  io: Io,
  client: Client,
  { id, status, done, total, result, destinationId }: Replay,
  code: ExitCode,
): Promise<ExitCode> {
  io.out.write(
    `Replay ${id} is ${status}: ${grouped(done)} of ${grouped(total)} went back to waiting${resultText(result)}\n`,
  );
  const counts = await client.call('GET /api/destinations/:id/counts', destinationId).catch((error: unknown) => {
    // The destination may have been deleted, which also stops a replay.
    if (error instanceof Refused && error.status === 404) return null;
    throw error;
  });
  if (counts) io.out.write(`The destination now: ${countsText(counts)}\n`);
  return code;
}

function resultText(result: Replay['result']): string {
  if (result === null) return '';
  const { delivered, failed, filtered, waiting } = result;
  return `. So far ${grouped(delivered)} delivered, ${grouped(failed)} failed again, ${grouped(filtered)} filtered, ${grouped(waiting)} waiting`;
}
