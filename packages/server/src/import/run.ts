import { pause } from '../core/pause.ts';
import { type CollectAnswer, readAnswer, refusalText } from './answer.ts';
import { type Batch, batchesOf, type RejectedLine } from './batches.ts';
import type { Line, Place } from './lines.ts';

/** How far an import is: what stands before the place was accepted or refused, or is an empty line. */
export interface Progress extends Place {
  readonly accepted: number;
  readonly rejected: number;
  /** Accepted calls without a time of their own: they got the time of the import. */
  readonly untimed: number;
}

export const NOTHING_YET: Progress = { offset: 0, line: 0, accepted: 0, rejected: 0, untimed: 0 };

export interface Import {
  readonly lines: AsyncIterable<Line>;
  /** Where the lines begin. */
  readonly begun: Progress;
  /** Digest of the file's first line: part of the messageId that a call without one gets. */
  readonly identity: string;
  /** Requests under way at once; 1 keeps the order of the file. */
  readonly inFlight: number;
  /** How long to go on trying while the service takes nothing, milliseconds. */
  readonly gracePeriod: number;
  /** One request to `/v1/import`. Rejects when no answer comes. */
  send(body: string, signal: AbortSignal): Promise<CollectAnswer>;
  /** Called in the order of the file. What is told is done has to be kept before this resolves. */
  advance(progress: Progress, rejected: readonly RejectedLine[]): Promise<void>;
  /** Told why a request is made again later, and null when one was taken. */
  waiting?(why: string | null): void;
  /** Once it aborts nothing more is read; requests under way are ended, and counted. */
  readonly signal: AbortSignal;
}

/** A request was refused for good, or nothing was taken for the whole grace period. */
export class ImportStopped extends Error {
  override readonly name = 'ImportStopped';
  /** The first line that was not taken. */
  readonly line: number;
  /** The wait that the service asked for, milliseconds, where that is longer than the grace period allows. */
  readonly tooLong: number | null;

  constructor(
    line: number,
    why: string,
    { tooLong = null, ...options }: ErrorOptions & { tooLong?: number | null } = {},
  ) {
    super(why, options);
    this.line = line;
    this.tooLong = tooLong;
  }
}

/**
 * Sends the lines of a file, batch by batch. 408, 429, 5xx and lost connections are waited out, at least as long as
 * Retry-After says.
 *
 * @throws ImportStopped when it can't go on; what was advanced before is done.
 */
export async function runImport(asked: Import): Promise<Progress> {
  const { lines, identity, inFlight, signal } = asked;
  const over = new AbortController();
  let progress = asked.begun;
  /** In the order of the file, which is the order in which they are counted: so what is kept never has a gap. */
  const underWay: { readonly batch: Batch; readonly sent: Promise<Sent> }[] = [];
  const takeFirst = async (): Promise<void> => {
    const first = underWay.shift();
    if (!first) return;
    const rejected = rejectedLines(first.batch, await first.sent);
    progress = advanced(progress, first.batch, rejected);
    await asked.advance(progress, rejected);
  };
  try {
    for await (const batch of batchesOf(lines, identity)) {
      if (signal.aborted) break;
      underWay.push({ batch, sent: deliver(asked, batch, over.signal) });
      if (underWay.length >= inFlight) await takeFirst();
    }
    while (underWay.length > 0) await takeFirst();
    return progress;
  } finally {
    over.abort();
  }
}

/** What became of a batch: its answer, or why there is none. A value, because it may be there long before it is asked for. */
type Sent = { readonly answer: CollectAnswer } | { readonly failure: unknown };

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;

/** Tries until the service says yes or no; gives up when it has said nothing useful for the whole grace period. */
async function deliver({ send, gracePeriod, signal, waiting }: Import, batch: Batch, over: AbortSignal): Promise<Sent> {
  if (batch.lines.length === 0) return { answer: NOTHING_SENT };
  const ended = AbortSignal.any([signal, over]);
  const giveUpAt = Date.now() + gracePeriod;
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    const sent = await send(batch.body, over).then(
      (answer): Sent => ({ answer }),
      (failure: unknown): Sent => ({ failure }),
    );
    if ('answer' in sent && sent.answer.ok) {
      waiting?.(null);
      return sent;
    }
    const helps = 'failure' in sent || waitingHelps(sent.answer.status);
    const asked = helps && 'answer' in sent ? (sent.answer.retryAfter ?? 0) : 0;
    const pauseMs = Math.max(asked, wait * (0.5 + Math.random() / 2));
    const isTooLong = asked > 0 && Date.now() + asked > giveUpAt;
    if (!helps || ended.aborted || Date.now() + pauseMs > giveUpAt)
      return { failure: stopped(batch, sent, isTooLong ? asked : null) };
    waiting?.(reasonOf(sent));
    await pause(pauseMs, ended);
  }
}

const NOTHING_SENT: CollectAnswer = readAnswer({ ok: true, status: 200, text: '{"success":true}', retryAfter: null });

function waitingHelps(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

function reasonOf(sent: Sent): string {
  if ('answer' in sent) return `the service answered ${refusalText(sent.answer)}`;
  return sent.failure instanceof Error ? sent.failure.message : String(sent.failure);
}

function stopped(batch: Batch, sent: Sent, tooLong: number | null): ImportStopped {
  const line = batch.lines[0]?.number ?? batch.end.line;
  return new ImportStopped(line, reasonOf(sent), { tooLong, ...('failure' in sent && { cause: sent.failure }) });
}

/** In the order of the file. @throws ImportStopped when the batch was not taken. */
function rejectedLines(batch: Batch, sent: Sent): RejectedLine[] {
  if ('failure' in sent) throw sent.failure;
  const refused = sent.answer.rejected.map(({ index, code, message }): RejectedLine => {
    const line = batch.lines[index];
    return { line: line?.number ?? 0, code, message, text: line?.text ?? null };
  });
  return [...batch.rejected, ...refused].toSorted((a, b) => a.line - b.line);
}

function advanced(before: Progress, { lines, rejected, end }: Batch, refused: readonly RejectedLine[]): Progress {
  const notTaken = new Set(refused.map(({ line }) => line));
  return {
    ...end,
    accepted: before.accepted + lines.length + rejected.length - refused.length,
    rejected: before.rejected + refused.length,
    untimed: before.untimed + lines.filter(({ number, isUntimed }) => isUntimed && !notTaken.has(number)).length,
  };
}
