import { readJson } from '../core/json.ts';
import { parseRetryAfter } from '../core/retry-after.ts';

export interface RejectedCall {
  readonly index: number;
  readonly code: string;
  readonly message: string;
}

/** What the collection API answered (contract 8.4). */
export interface CollectAnswer {
  readonly ok: boolean;
  readonly status: number;
  readonly text: string;
  /** Milliseconds, when the answer said how long to wait. */
  readonly retryAfter: number | null;
  readonly code: string | null;
  readonly message: string | null;
  /** Calls of a batch that were refused, by their place in it. */
  readonly rejected: readonly RejectedCall[];
}

export function readAnswer(answered: Pick<CollectAnswer, 'ok' | 'status' | 'text' | 'retryAfter'>): CollectAnswer {
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

/** Milliseconds that a Retry-After header asks to wait; null where there is none that can be read. */
export function waitAsked(retryAfter: string | null): number | null {
  return parseRetryAfter(retryAfter ?? '', Date.now());
}

/** An answer other than success, in a line. */
export function refusalText({ status, code, message, text }: CollectAnswer): string {
  return code === null ? `status ${status}: ${text.slice(0, 200) || 'no body'}` : `${status} ${code}: ${message ?? ''}`;
}
