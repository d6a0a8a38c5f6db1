import { readJson } from '../core/json.ts';
import { parseRetryAfter } from '../core/retry-after.ts';

export interface RejectedCall {
  readonly index: number;
  readonly code: string;
  readonly message: string;
}

/** The answer of the collection API (contract 8.4). */
export interface CollectAnswer {
  readonly ok: boolean;
  readonly status: number;
  readonly text: string;
  /** How long to wait, milliseconds; null if the answer did not say. */
  readonly retryAfter: number | null;
  readonly code: string | null;
  readonly message: string | null;
  /** The refused calls of a batch, by index. */
  readonly rejected: readonly RejectedCall[];
}

export function readAnswer(answered: Pick<CollectAnswer, 'ok' | 'status' | 'text' | 'retryAfter'>): CollectAnswer {
  const json = Object(readJson(answered.text)) as Readonly<Record<string, unknown>>;
  const { code, message, rejected } = json;
  return {
    ...answered,
    // The status is not enough: another server may answer 200 to anything. Only Millrace answers `success`.
    ok: answered.ok && json['success'] === true,
    code: typeof code === 'string' ? code : null,
    message: typeof message === 'string' ? message : null,
    rejected: Array.isArray(rejected) ? (rejected as RejectedCall[]) : [],
  };
}

/** The wait that a Retry-After header asks for, milliseconds; null if the header is missing or unreadable. */
export function waitAsked(retryAfter: string | null): number | null {
  return parseRetryAfter(retryAfter ?? '', Date.now());
}

/** An unsuccessful answer as one line of text. */
export function refusalText({ status, code, message, text }: CollectAnswer): string {
  return code === null ? `status ${status}: ${text.slice(0, 200) || 'no body'}` : `${status} ${code}: ${message ?? ''}`;
}
