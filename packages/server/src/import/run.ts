import { pause } from '../core/pause.ts';
import { type CollectAnswer, readAnswer, refusalText } from './answer.ts';
import { type Batch, batchesOf, type RejectedLine } from './batches.ts';
import type { Line, Place } from './lines.ts';

/** The progress of an import. Every line before the place was accepted or refused, or is empty. */
export interface Progress extends Place {
  readonly accepted: number;
  readonly rejected: number;
  /** Number of accepted calls without a time of their own. They got the time of the import. */
  readonly untimed: number;
}

export const NOTHING_YET: Progress = { offset: 0, line: 0, accepted: 0, rejected: 0, untimed: 0 };

export interface Import {
  readonly lines: AsyncIterable<Line>;
  /** The progress before the first of `lines`. */
  readonly begun: Progress;
  /** Digest of the file's first line. Used in the messageId of calls that have none. */
  readonly identity: string;
  /** The most requests at the same time. With 1, calls arrive in the order of the file. */
  readonly inFlight: number;
  /** How long to retry while the service accepts nothing, milliseconds. */
  readonly gracePeriod: number;
  /** Sends one request to `/v1/import`. Rejects if no answer comes. */
  send(body: string, signal: AbortSignal): Promise<CollectAnswer>;
  /** Called in the order of the file. Must store the progress before it resolves. */
  advance(progress: Progress, rejected: readonly RejectedLine[]): Promise<void>;
  /** Called with the reason when a request will be retried, and with null when one was accepted. */
  waiting?(why: string | null): void;
  /** When it aborts, no further lines are read. Running requests are finished and counted, but not retried. */
  readonly signal: AbortSignal;
}

/** A request was refused for good, or the service accepted nothing for the whole grace period. */
export class ImportStopped extends Error {
  override readonly name = 'ImportStopped';
  /** The first line that was not accepted. */
  readonly line: number;
  /** The wait that the service asked for, milliseconds, if it is longer than the grace period allows; else null. */
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
 * Sends the lines of a file, batch by batch. After 408, 429, 5xx or a lost connection it waits and retries; it waits at least as
 * long as Retry-After says.
 *
 * @throws ImportStopped if it can't continue. Progress reported before that is valid.
 */
export async function runImport(asked: Import): Promise<Progress> {
  const { lines, identity, inFlight, signal } = asked;
  const over = new AbortController();
  let progress = asked.begun;
  /** Running requests in the order of the file. They are counted in this order, so the stored progress never has a gap. */
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

/**
 * The result of a batch: an answer, or the reason why there is none. Not a rejected promise, because the result may come long
 * before it is awaited.
 */
type Sent = { readonly answer: CollectAnswer } | { readonly failure: unknown };

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;

/** Retries until the service accepts or refuses the batch, or the grace period is over. */
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

/** The refused lines, in the order of the file. @throws ImportStopped if the batch was not accepted. */
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
