import { currentCsrfToken, unreachable } from './client.ts';

/** The answer to a call that the user put together by hand. */
export interface RawAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly text: string;
  /** Milliseconds until the whole answer was read. */
  readonly ms: number;
  /** True if only the beginning of the answer was read. */
  readonly isCut: boolean;
}

export interface RawCall {
  readonly method: string;
  /** Path and query. */
  readonly address: string;
  readonly body: string | null;
  /** Sent as the user name of Basic, in place of the session. */
  readonly writeKey?: string;
}

/** Most characters of an answer that are read. */
const MOST_CHARACTERS = 200_000;
const LONGEST_STREAM_MS = 3_000;

/**
 * Makes any call of either API, and returns the answer unchanged, refusals too. Sends the session and its CSRF token,
 * unless a write key is given. Reads a stream for its first three seconds.
 *
 * @throws ApiProblem with code `network` when no answer came.
 */
export async function callRaw({ method, address, body, writeKey }: RawCall, signal: AbortSignal): Promise<RawAnswer> {
  const headers = new Headers({ accept: '*/*' });
  if (body !== null) headers.set('content-type', 'application/json');
  if (writeKey !== undefined) headers.set('authorization', `Basic ${btoa(`${writeKey}:`)}`);
  else if (method !== 'GET') headers.set('x-csrf-token', currentCsrfToken() ?? '');
  const began = performance.now();
  try {
    const credentials = writeKey === undefined ? 'same-origin' : 'omit';
    const response = await fetch(address, { method, headers, body, credentials, signal });
    const { text, isCut } = await beginningOf(response);
    const ms = performance.now() - began;
    return {
      status: response.status,
      statusText: response.statusText,
      headers: [...response.headers],
      text,
      ms,
      isCut,
    };
  } catch (error) {
    throw unreachable(error);
  }
}

async function beginningOf(response: Response): Promise<{ text: string; isCut: boolean }> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) return { text: '', isCut: false };
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  const end = Promise.withResolvers<'over'>();
  const timer = isStream && setTimeout(() => end.resolve('over'), LONGEST_STREAM_MS);
  let text = '';
  try {
    while (text.length < MOST_CHARACTERS) {
      const piece = await Promise.race([reader.read(), end.promise]);
      if (piece === 'over') break;
      if (piece.done) return { text, isCut: false };
      text += piece.value;
    }
    return { text: text.slice(0, MOST_CHARACTERS), isCut: true };
  } finally {
    if (timer) clearTimeout(timer);
    // The rest of the answer is not needed. A failed cancel changes nothing.
    void reader.cancel().catch(() => undefined);
  }
}
