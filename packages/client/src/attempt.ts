import { errorOf, type MillraceError } from './error.ts';
import type { Settings } from './options.ts';
import type { Runtime } from './runtime.ts';
import type { Failure } from './schedule.ts';

/** A batch that arrived. `rejected` holds the error of each refused call, by its index in the batch. */
export interface Delivery {
  readonly error?: never;
  readonly rejected: ReadonlyMap<number, MillraceError>;
}

/** The result of one request. */
export type Outcome = Delivery | Failure;

/** Posts a batch once, and never throws. Ends after `timeout`, or when `controller` aborts. */
export async function attempt(
  { url, writeKey, timeout, fetch }: Settings,
  { now, after }: Runtime,
  body: string,
  controller: AbortController,
): Promise<Outcome> {
  const cancel = after(timeout, () => controller.abort('timeout'));
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Basic ${btoa(`${writeKey}:`)}` },
      body,
      // If fetch followed a redirect, the POST would become a GET, and the page it gets would pass for a delivery.
      redirect: 'manual',
      signal: controller.signal,
    });
    const { status, headers } = response;
    const answer = parse(await response.text());
    // Another server may answer 200 to anything. Only Millrace answers `success: true`.
    if (status < 300 && answer.success === true) return { rejected: rejectedIn(answer, status) };
    return {
      error: errorIn(answer, status),
      again: /^(2|408|429|5)/.test(`${status}`),
      retryAfter: waitAsked(headers.get('retry-after') as string, now()),
    };
  } catch (cause) {
    const code = controller.signal.aborted ? 'timeout' : 'network';
    return { error: errorOf(code, `No answer: ${cause}`, { cause }), again: true, retryAfter: Number.NaN };
  } finally {
    cancel();
  }
}

/** The fields of an answer that the client reads. A server may send any JSON. */
interface Answer {
  readonly success?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
  readonly rejected?: unknown;
}

/** An answer that is not JSON counts as empty: only its status is used. */
function parse(text: string): Answer {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

function errorIn({ code, message }: Answer, status: number): MillraceError {
  return errorOf(`${code ?? `http_${status}`}`, `Answered ${status}: ${message ?? ''}`, { status });
}

function rejectedIn({ rejected }: Answer, status: number): Map<number, MillraceError> {
  const list: readonly (Answer & { readonly index: number })[] = Array.isArray(rejected) ? rejected : [];
  return new Map(list.map((rejection) => [rejection.index, errorIn(rejection, status)]));
}

/** Milliseconds until the time of a Retry-After header: seconds, also with a fraction, or a date. NaN if it is neither. */
function waitAsked(header: string, now: number): number {
  // Node leaves spaces at the end. `Date.parse` takes any text with a number for a date; an HTTP date has a time of day.
  return Math.max(
    0,
    /^[-.\d ]+$/.test(header) ? (header as never) * 1000 : /:..:/.test(header) ? Date.parse(header) - now : Number.NaN,
  );
}
