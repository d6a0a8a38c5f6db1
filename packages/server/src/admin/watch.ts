import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Clock } from '../core/clock.ts';

/** What a GET of the API answered; `body` is JSON text. */
export interface Answered {
  readonly status: number;
  readonly body: string;
}

export interface WatchOptions {
  readonly clock: Clock;
  readonly paths: readonly string[];
  /** Asks for one of the paths as the one who watches. */
  readonly ask: (path: string) => Promise<Answered>;
  /** Is told of what `ask` throws; the watch ends then. */
  readonly report: (error: unknown) => void;
}

/** From the end of one round of questions to the next. */
const EVERY_MS = 2_000;
/** Browsers open an ended stream again, and are asked again who they are. */
const LONGEST_MS = 15 * 60_000;
/** What is left unread of more than this ends the stream. */
const MOST_UNREAD_BYTES = 4 * 1024 * 1024;

/**
 * A stream of server-sent events that says what some GETs of the API answer, and again each time that an answer is another:
 * `answer` messages carry `{"path", "status", "body"}`. So a page that shows several things that change needs one request and not
 * several every two seconds. An `asked` message ends each
 * round: without one for some time, the reader knows that the service can't be reached. The stream ends when who opened it is signed out, and after 15 minutes.
 */
export function watchAnswers({ clock, paths, ask, report }: WatchOptions): Readable {
  const stream = new Readable({ read: () => undefined });
  /** Digests of what was answered last, by path. */
  const told = new Map<string, string>();
  const endsAt = clock.now() + LONGEST_MS;
  let cancel = (): void => undefined;
  stream.once('close', () => cancel());

  const round = async (): Promise<void> => {
    for (const path of paths) {
      const { status, body } = await ask(path);
      if (stream.destroyed) return;
      if (status === 401) return end();
      const answer = `{"path":${JSON.stringify(path)},"status":${status},"body":${body}}`;
      const digest = hash('sha256', answer, 'base64');
      if (told.get(path) === digest) continue;
      told.set(path, digest);
      stream.push(`event: answer\ndata: ${answer}\n\n`);
      if (stream.readableLength > MOST_UNREAD_BYTES) return void stream.destroy();
    }
    stream.push('event: asked\ndata:\n\n');
    if (clock.now() >= endsAt) end();
    else cancel = clock.after(EVERY_MS, () => void begin());
  };
  const begin = (): Promise<void> =>
    round().catch((error: unknown) => {
      report(error);
      end();
    });
  const end = (): void => void stream.push(null);
  // The answer begins at once: what ends the stream before the first round is over ends an answer, and fails no request.
  stream.push(': watching\n\n');
  void begin();
  return stream;
}
