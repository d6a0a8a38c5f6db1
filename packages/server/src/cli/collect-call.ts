import { type CollectAnswer, readAnswer } from '../import/answer.ts';
import { reach } from './client.ts';

/** How long the collection API may take to answer, milliseconds: as long as a slow disk takes to sync. */
const TIMEOUT = 30_000;

/** Sends one body, a call or a batch. A refusal is an answer. @throws CommandFailure when no answer came. */
export async function collect(
  url: string,
  path: string,
  writeKey: string,
  body: string,
  signal?: AbortSignal,
): Promise<CollectAnswer> {
  const timeout = AbortSignal.timeout(TIMEOUT);
  return readAnswer(
    await reach(url, path, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${writeKey}:`).toString('base64')}`,
        'content-type': 'application/json',
      },
      body,
      signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
    }),
  );
}
