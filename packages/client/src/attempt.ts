import { errorOf, type MillraceError } from './error.ts';
import type { Settings } from './options.ts';
import type { Runtime } from './runtime.ts';
import type { Failure } from './schedule.ts';

/** A batch that arrived. The calls the service refused are named by their place in it. */
export interface Delivery {
  readonly error?: never;
  readonly rejected: ReadonlyMap<number, MillraceError>;
}

/** What one request came to. */
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
      // Followed, a POST would become a GET, and the page that answers it would pass for a delivery.
      redirect: 'manual',
      signal: controller.signal,
    });
    const { status, headers } = response;
    const answer = parse(await response.text());
    // Another server may answer 200 to anything: only Millrace says success.
    if (status < 300 && answer.success === true) return { rejected: rejectedIn(answer, status) };
    return {
      error: errorIn(answer, status),
      again: /^(2|408|429|5)/.test(`${status}`),
      retryAfter: waitAsked(headers.get('retry-after'), now()),
    };
  } catch (cause) {
    const code = controller.signal.aborted ? 'timeout' : 'network';
    return { error: errorOf(code, `No answer: ${cause}`, { cause }), again: true, retryAfter: Number.NaN };
  } finally {
    cancel();
  }
}

/** As much of an answer's JSON as counts; it may be any JSON. */
interface Answer {
  readonly success?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
  readonly rejected?: unknown;
}

/** An answer that is no JSON says nothing beyond its status. */
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

/** Milliseconds, from a Retry-After header's seconds or date; NaN when it is absent or says neither. */
function waitAsked(header: string | null, now: number): number {
  return Math.max(0, /^\d+$/.test(header as string) ? Number(header) * 1000 : Date.parse(header as string) - now);
}
