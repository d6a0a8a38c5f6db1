import { type CollectAnswer, readAnswer, waitAsked } from '../../../server/src/import/answer.ts';
import { unreachable } from './client.ts';
import { ApiProblem } from './problem.ts';
import { change } from './query.ts';

/** A track call, as a client library sends it. */
export interface TrackCall {
  readonly writeKey: string;
  readonly call: Readonly<Record<string, unknown>> & { readonly messageId: string };
}

export const collectionApi = {
  /** Resolves when the call is on disk. A refusal has the code and message of the collection API. */
  track: () => change(track, { onLog: true }),
};

async function track({ writeKey, call }: TrackCall): Promise<void> {
  const { ok, status, rejected, ...answer } = await post('/v1/track', writeKey, JSON.stringify(call));
  const [refused = answer] = rejected;
  if (ok && refused === answer) return;
  const detail = refused.message ?? `The call was not accepted (status ${status}).`;
  throw new ApiProblem({ code: refused.code ?? 'unreadable', status, detail });
}

const BATCH_TIMEOUT_MS = 30_000;

/** Sends a batch of past calls. Returns the answer also if it is a refusal. @throws ApiProblem with code `network` when no answer came. */
export function sendBatch(writeKey: string, body: string, signal: AbortSignal): Promise<CollectAnswer> {
  return post('/v1/import', writeKey, body, AbortSignal.any([signal, AbortSignal.timeout(BATCH_TIMEOUT_MS)]));
}

async function post(path: string, writeKey: string, body: string, signal?: AbortSignal): Promise<CollectAnswer> {
  const headers = { authorization: `Basic ${btoa(`${writeKey}:`)}`, 'content-type': 'application/json' };
  try {
    const init: RequestInit = { method: 'POST', headers, credentials: 'omit', body, ...(signal && { signal }) };
    const response = await fetch(path, init);
    const { ok, status } = response;
    const retryAfter = waitAsked(response.headers.get('retry-after'));
    return readAnswer({ ok, status, retryAfter, text: await response.text() });
  } catch (error) {
    throw unreachable(error);
  }
}
