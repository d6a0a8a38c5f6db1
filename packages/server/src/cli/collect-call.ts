import { type Answered, reach, readJson } from './client.ts';

/** How long the collection API may take to answer, milliseconds: as long as a slow disk takes to sync. */
const TIMEOUT = 30_000;

export interface RejectedCall {
  readonly index: number;
  readonly code: string;
  readonly message: string;
}

/** What the collection API answered (decisions 8.4). */
export interface CollectAnswer extends Answered {
  readonly code: string | null;
  readonly message: string | null;
  /** Calls of a batch that were refused, by their place in it. */
  readonly rejected: readonly RejectedCall[];
}

/** Sends one body, a call or a batch. A refusal is an answer. @throws CommandFailure when no answer came. */
export async function collect(url: string, path: string, writeKey: string, body: string): Promise<CollectAnswer> {
  const answered = await reach(url, path, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${writeKey}:`).toString('base64')}`,
      'content-type': 'application/json',
    },
    body,
    signal: AbortSignal.timeout(TIMEOUT),
  });
  const json = Object(readJson(answered.text)) as Readonly<Record<string, unknown>>;
  const { code, message, rejected } = json;
  return {
    ...answered,
    // Another server may answer 200 to anything: only Millrace says success.
    ok: answered.ok && json['success'] === true,
    code: typeof code === 'string' ? code : null,
    message: typeof message === 'string' ? message : null,
    rejected: Array.isArray(rejected) ? (rejected as RejectedCall[]) : [],
  };
}

/** An answer other than success, in a line. */
export function refusalText({ status, code, message, text }: CollectAnswer): string {
  return code === null ? `status ${status}: ${text.slice(0, 200) || 'no body'}` : `${status} ${code}: ${message ?? ''}`;
}
