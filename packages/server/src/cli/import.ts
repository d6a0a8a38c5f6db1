import { Command } from 'commander';
import { pause } from '../core/pause.ts';
import { milliseconds, wholeNumber } from './arguments.ts';
import { type CollectAnswer, collect, refusalText } from './collect-call.ts';
import { type SourceFlags, urlOf, withSourceFlags, writeKeyOf } from './connection.ts';
import { signalOf } from './ending.ts';
import { type Batch, batchesOf, type RejectedLine } from './import-batches.ts';
import { type LineFile, openLines } from './import-lines.ts';
import { ImportFiles, type ImportState } from './import-state.ts';
import { CommandFailure, EXIT, type ExitCode, type Io } from './io.ts';
import { counted, printable } from './paint.ts';
import { progressOn } from './progress.ts';

interface ImportFlags extends SourceFlags {
  readonly inFlight: number;
  readonly patience: number;
  readonly restart?: true;
}

/** `millrace import`: historical calls from a file. */
export function importCommand(io: Io, end: (code: ExitCode) => void): Command {
  const command = new Command('import')
    .description('import historical calls from a file, one JSON object a line')
    .argument('<file>', 'NDJSON, packed with gzip or not')
    .option('--in-flight <count>', 'requests under way at once; 1 keeps the order of the file', wholeNumber(1, 32), 4)
    .option('--patience <duration>', 'how long to go on trying while the service takes nothing', milliseconds, 300_000)
    .option('--restart', 'begin again at the beginning of the file');
  return withSourceFlags(command)
    .addHelpText(
      'after',
      `
Each line is a call with its "type", as in a batch; timestamps are kept. What is done stands in FILE.millrace-import: the
same command goes on where it was interrupted, also after lines were added. A call without a messageId gets one that
stays the same, so that nothing is taken twice by an import that is resumed within 24 hours. Refused lines go to
FILE.rejected.ndjson with their code and line number. 429, 503 and lost connections are waited out.

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
  const begun = await files.begin(await firstLine(file), `${url} ${writeKey}`, flags.restart === true);
  if (begun.offset > 0) io.err.write(`Going on after line ${begun.line}\n`);

  const ending = signalOf(io);
  const send = (batch: Batch): Promise<Sent> => deliver(url, writeKey, batch, flags.patience, ending.signal);
  const progress = progressOn(io.err);
  const speed = speedometer(begun);
  let state = begun;
  let untimed = 0;
  /** In the order of the file, which is the order in which they are counted: so the state never has a gap. */
  const underWay: { readonly batch: Batch; readonly sent: Promise<Sent> }[] = [];
  const takeFirst = async (): Promise<void> => {
    const first = underWay.shift();
    if (!first) return;
    const rejected = rejectedLines(first.batch, await first.sent);
    untimed += first.batch.untimed;
    state = advanced(state, first.batch, rejected);
    await files.advance(state, rejected);
    progress.show(file.share(), speed(state));
  };
  try {
    for await (const batch of batchesOf(file.lines(begun), begun.identity)) {
      if (ending.signal.aborted) break;
      underWay.push({ batch, sent: send(batch) });
      if (underWay.length >= flags.inFlight) await takeFirst();
    }
    while (underWay.length > 0) await takeFirst();
  } finally {
    progress.end();
    ending.done();
  }
  report(io, state, begun, untimed, files);
  if (ending.signal.aborted) {
    io.err.write('millrace: interrupted. The same command goes on from here.\n');
    return EXIT.failed;
  }
  return state.rejected > 0 ? EXIT.failed : EXIT.ok;
}

async function firstLine(file: LineFile): Promise<string> {
  for await (const { text } of file.lines({ offset: 0, line: 0 })) return text ?? '';
  return '';
}

/** What became of a batch: its answer, or why there is none. A value, because it may be there long before it is asked for. */
type Sent = { readonly answer: CollectAnswer } | { readonly failure: CommandFailure };

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;

/** Tries until the service says yes or no; gives up when it has said nothing useful for as long as patience lasts. */
async function deliver(
  url: string,
  writeKey: string,
  batch: Batch,
  patience: number,
  signal: AbortSignal,
): Promise<Sent> {
  if (batch.lines.length === 0) return { answer: NOTHING_SENT };
  const giveUpAt = Date.now() + patience;
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    const sent = await collect(url, '/v1/import', writeKey, batch.body).then(
      (answer): Sent => ({ answer }),
      (failure: CommandFailure): Sent => ({ failure }),
    );
    if ('answer' in sent && sent.answer.ok) return sent;
    const helps = 'failure' in sent || waitingHelps(sent.answer.status);
    const asked = 'answer' in sent && sent.answer.retryAfter !== null ? sent.answer.retryAfter * 1000 : 0;
    const pauseMs = Math.max(asked, wait * (0.5 + Math.random() / 2));
    if (!helps || signal.aborted || Date.now() + pauseMs > giveUpAt) return { failure: stopped(batch, sent) };
    await pause(pauseMs, signal);
  }
}

const NOTHING_SENT: CollectAnswer = {
  ok: true,
  status: 200,
  text: '',
  retryAfter: null,
  code: null,
  message: null,
  rejected: [],
};

function waitingHelps(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

function stopped(batch: Batch, sent: Sent): CommandFailure {
  const first = batch.lines[0]?.number ?? batch.end.line;
  const why = 'failure' in sent ? sent.failure.message : `the service answered ${printable(refusalText(sent.answer))}`;
  return new CommandFailure(
    `stopped before line ${first}: ${why}\nWhat was taken before it is done; the same command goes on from there.`,
    { cause: 'failure' in sent ? sent.failure : undefined },
  );
}

/** In the order of the file. @throws CommandFailure when the batch was not taken. */
function rejectedLines(batch: Batch, sent: Sent): RejectedLine[] {
  if ('failure' in sent) throw sent.failure;
  const refused = sent.answer.rejected.map(({ index, code, message }): RejectedLine => {
    const line = batch.lines[index];
    return { line: line?.number ?? 0, code, message, text: line?.text ?? null };
  });
  return [...batch.rejected, ...refused].toSorted((a, b) => a.line - b.line);
}

function advanced(
  state: ImportState,
  { lines, rejected: local, end }: Batch,
  rejected: readonly unknown[],
): ImportState {
  return {
    ...state,
    ...end,
    accepted: state.accepted + lines.length + local.length - rejected.length,
    rejected: state.rejected + rejected.length,
  };
}

function speedometer(begun: ImportState): (state: ImportState) => string {
  const beganAt = Date.now();
  return ({ accepted, rejected }) => {
    const done = accepted + rejected - begun.accepted - begun.rejected;
    const perSecond = Math.round(done / Math.max(0.001, (Date.now() - beganAt) / 1000));
    return `${counted(done, 'call')}, ${perSecond}/s${rejected > 0 ? `, ${rejected} refused` : ''}`;
  };
}

function report(io: Io, state: ImportState, begun: ImportState, untimed: number, files: ImportFiles): void {
  const now = state.accepted - begun.accepted;
  const before = begun.accepted > 0 ? ` (${state.accepted} in all)` : '';
  io.out.write(`${counted(now, 'call')} accepted${before}, ${state.rejected} refused\n`);
  if (untimed > 0) io.err.write(`${counted(untimed, 'call')} had no timestamp and got the time of the import.\n`);
  if (state.rejected > 0) io.err.write(`What was refused, and why: ${files.rejectedPath}\n`);
}
