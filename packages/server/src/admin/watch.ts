import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Clock } from '../core/clock.ts';

/** The answer of a GET of the API; `body` is JSON text. */
export interface Answered {
  readonly status: number;
  readonly body: string;
}

export interface WatchOptions {
  readonly clock: Clock;
  readonly paths: readonly string[];
  /** Makes a GET with the credentials of the watching caller. */
  readonly ask: (path: string) => Promise<Answered>;
  /** Called with an error of `ask`; the watch then ends. */
  readonly report: (error: unknown) => void;
}

/** From the end of a round of requests to the next, milliseconds. */
const EVERY_MS = 2_000;
/** The longest stream. Browsers then open it again, and are authenticated again. */
const LONGEST_MS = 15 * 60_000;
/** A stream with more unread bytes than this is destroyed. */
const MOST_UNREAD_BYTES = 4 * 1024 * 1024;

/**
 * A stream of server-sent events with the answers of some GETs: first all answers, then each that changes. `answer` messages
 * carry `{"path", "status", "body"}`. So a page with several changing parts needs one request, instead of several every two
 * seconds. An `asked` message ends each round: if none comes for some time, the service can't be reached. The stream ends when
 * its caller is signed out, and after 15 minutes.
 */
export function watchAnswers({ clock, paths, ask, report }: WatchOptions): Readable {
  const stream = new Readable({ read: () => undefined });
  /** Digest of the last answer, by path. */
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
  // Start the response at once: if the stream ends during the first round, the client sees a short answer instead of a failed
  // request.
  stream.push(': watching\n\n');
  void begin();
  return stream;
}
