import { Command } from 'commander';
import { firstLine, type Line } from '../import/lines.ts';
import { ImportStopped, type Progress, runImport } from '../import/run.ts';
import { waitOption, wholeNumber } from './arguments.ts';
import { collect } from './client.ts';
import { type SourceFlags, urlOf, withSourceFlags, writeKeyOf } from './connection.ts';
import { openLines } from './import-lines.ts';
import { ImportFiles } from './import-state.ts';
import { CommandFailure, EXIT, type ExitCode, type Io } from './io.ts';
import { counted, printable } from './paint.ts';
import { withProgress } from './progress.ts';

interface ImportFlags extends SourceFlags {
  readonly inFlight: number;
  /** The grace period. Named after its flag, which scripts use. */
  readonly patience: number;
  readonly restart?: true;
  readonly sameSource?: true;
}

/** `millrace import`: imports past calls from a file. */
export function importCommand(io: Io, end: (code: ExitCode) => void): Command {
  const command = new Command('import')
    .description('import historical calls from a file, one JSON object a line')
    .argument('<file>', 'NDJSON, packed with gzip or not')
    .option('--in-flight <count>', 'requests under way at once; 1 keeps the order of the file', wholeNumber(1, 32), 4)
    .addOption(waitOption('--patience <duration>', 'how long to go on trying while the service takes nothing', '5m'))
    .option('--restart', 'begin again at the beginning of the file')
    .option('--same-source', 'go on though the address or the write key is another: the source is the same');
  return withSourceFlags(command)
    .addHelpText(
      'after',
      `
Each line is a call with its "type", as in a batch; timestamps are kept. What is done stands in FILE.millrace-import: the
same command goes on where it was interrupted, also after whole lines were added to a file that ended with a line feed. A call without a messageId gets one that
stays the same, so that nothing is taken twice by an import that is resumed within 24 hours. Refused lines go to
FILE.rejected.ndjson with their code and line number. 408, 429, 5xx and lost connections are waited out.

Exit code 0 when everything was accepted; 1 when a line was refused, or it was interrupted; 2 when nothing was tried.

Examples:
  $ millrace import history.ndjson
  $ millrace import history.ndjson.gz --source "Web shop" --in-flight 8
  $ millrace import history.ndjson --url https://collect.example.com --write-key KEY`,
    )
    .action(async (file: string, flags: ImportFlags) => end(await importFile(io, file, flags)));
}

async function importFile(io: Io, path: string, flags: ImportFlags): Promise<ExitCode> {
  const file = await openLines(path);
  const url = urlOf(io, flags);
  const writeKey = await writeKeyOf(io, flags);
  const files = new ImportFiles(path);
  using _lock = await files.lock();
  const begun = await files.begin(await firstLine(file), `${url} ${writeKey}`, flags);

  const next = flags.restart === true ? 'the same command without --restart' : 'the same command';
  const speed = speedometer(begun);
  const { state, wasInterrupted } = await withProgress(io, async (bar, signal) => {
    const reached = await runImport({
      lines: announced(io, file.lines(begun), begun),
      begun,
      identity: begun.identity,
      inFlight: flags.inFlight,
      gracePeriod: flags.patience,
      signal,
      send: (body, over) => collect(url, '/v1/import', writeKey, body, over),
      async advance(progress, rejected) {
        await files.advance({ ...begun, ...progress }, rejected);
        bar.show(file.share(progress), speed(progress));
      },
    });
    return { state: reached, wasInterrupted: signal.aborted };
  }).catch((error: unknown) => {
    throw error instanceof ImportStopped ? stopped(error, next) : error;
  });
  report(io, state, begun, files);
  if (wasInterrupted) {
    io.err.write(`millrace: interrupted; ${next} goes on from here.\n`);
    return EXIT.failed;
  }
  return state.rejected > 0 ? EXIT.failed : EXIT.ok;
}

/** Prints that the import continues, after the first line: only then is the file known to be the right one. */
async function* announced(io: Io, lines: AsyncIterable<Line>, { line }: Progress): AsyncGenerator<Line> {
  let isSaid = line === 0;
  for await (const each of lines) {
    if (!isSaid) io.err.write(`Going on after line ${line}\n`);
    isSaid = true;
    yield each;
  }
}

function stopped(error: ImportStopped, next: string): CommandFailure {
  const wait =
    error.tooLong === null ? '' : `\nIt asks to wait ${minutes(error.tooLong)}, longer than --patience allows.`;
  return new CommandFailure(
    `stopped before line ${error.line}: ${printable(error.message)}${wait}\nWhat was taken before it is done; ${next} goes on from there.`,
    { cause: error },
  );
}

/** `3 h 20 min`, rounded up; up to a minute `45 s`. */
function minutes(ms: number): string {
  if (ms <= 60_000) return `${Math.ceil(ms / 1000)} s`;
  const all = Math.ceil(ms / 60_000);
  const [hours, rest] = [Math.floor(all / 60), all % 60];
  return [hours > 0 && `${hours} h`, rest > 0 && `${rest} min`].filter(Boolean).join(' ');
}

function speedometer(begun: Progress): (progress: Progress) => string {
  const beganAt = Date.now();
  return ({ accepted, rejected }) => {
    const done = accepted + rejected - begun.accepted - begun.rejected;
    const perSecond = Math.round(done / Math.max(0.001, (Date.now() - beganAt) / 1000));
    return `${counted(done, 'call')}, ${perSecond}/s${rejected > 0 ? `, ${rejected} refused` : ''}`;
  };
}

function report(io: Io, state: Progress, begun: Progress, files: ImportFiles): void {
  const now = state.accepted - begun.accepted;
  const before = begun.accepted > 0 ? ` (${state.accepted} in all)` : '';
  const untimed = state.untimed - begun.untimed;
  io.out.write(`${counted(now, 'call')} accepted${before}, ${state.rejected} refused\n`);
  if (untimed > 0)
    io.err.write(`${counted(untimed, 'call')} had no timestamp that can be read, and got the time of the import.\n`);
  if (state.rejected > 0) io.err.write(`What was refused, and why: ${files.rejectedPath}\n`);
}
