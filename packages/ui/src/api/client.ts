import type { Problem } from '../../../server/src/admin/contract.ts';
import { parsed } from '../format/parsed.ts';
import { ApiProblem } from './problem.ts';
import { look, noteAnswer, untilUnreachable, WATCHING } from './reach.ts';

/** Parameters that are null, undefined or empty are left out. */
export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

interface CallOptions {
  /** The body, sent as JSON. */
  readonly body?: unknown;
  /** The service refuses with `changed_meanwhile` if the stored revision is another one. Absent: any revision. */
  readonly revision?: number | string | undefined;
  readonly signal?: AbortSignal;
}

/** Milliseconds without an answer, after which the page finds out whether the service answers at all. */
const SLOW_MS = 5_000;
/** Longest wait for an answer while the service answers others, milliseconds: the connection of this one may be dead. */
const LONGEST_MS = 60_000;

/** Milliseconds without a key or a click, after which what the page asks by itself is no use of the session. */
const LEFT_MS = 3_600_000;

let usedAt = 0;
for (const sign of ['keydown', 'pointerdown']) addEventListener(sign, () => (usedAt = performance.now()), true);

export const SESSION_PATH = '/api/session';

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

let csrfToken: string | null = null;

export function currentCsrfToken(): string | null {
  return csrfToken;
}

/** Signs in again after a session has ended; resolves when there is a new session. */
let renew: (() => Promise<void>) | null = null;

/** When a session has ended, calls wait for `begin` and are then sent again. The returned function turns this off. */
export function renewSessionBy(begin: () => Promise<void>): () => void {
  renew = begin;
  return () => {
    renew = null;
  };
}

/** The CSRF token of the session, sent with every call except GET; null if no one is signed in. */
export function setCsrfToken(token: string | null): void {
  csrfToken = token;
}

/**
 * Calls the admin API with the current session, and reads the answer.
 *
 * @throws ApiProblem for every answer that is not a success; its code is `network` if no answer came.
 */
export async function call<T>(method: Method, path: string, options: CallOptions = {}): Promise<T> {
  let response = await request(method, path, options);
  // A refused sign-in or sign-out is reported. Every other call of an ended session waits for a new session.
  const isSigning = method !== 'GET' && path === SESSION_PATH;
  if (response.status === 401 && renew !== null && csrfToken !== null && !isSigning) {
    await renew();
    response = await request(method, path, options);
  }
  if (response.status === 204) return undefined as T;
  const text = await response.text().catch((error: unknown) => {
    throw unreachable(error);
  });
  const answer = parsed(text);
  if (response.ok && answer !== undefined) return answer as T;
  throw new ApiProblem(isProblem(answer) ? answer : unreadable(response), secondsToWait(response));
}

/** Answers of the live stream, by path: a GET of the path takes its answer from here. */
const brought = new Map<string, unknown>();

/** Until the returned function is called, a GET of this path (query included) gets `answer` without a request. */
export function bring(path: string, answer: unknown): () => void {
  brought.set(path, answer);
  return () => brought.delete(path);
}

export async function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  const whole = withQuery(path, query);
  if (brought.has(whole)) return brought.get(whole) as T;
  return call('GET', whole, signal && { signal });
}

/** A path with its query. */
export function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === null || value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

async function request(method: Method, path: string, { body, revision, signal }: CallOptions): Promise<Response> {
  const headers = new Headers({ accept: 'application/json' });
  if (body !== undefined) headers.set('content-type', 'application/json');
  if (revision !== undefined) headers.set('if-match', `"${revision}"`);
  if (method !== 'GET' && csrfToken !== null) headers.set('x-csrf-token', csrfToken);
  if (performance.now() - usedAt > LEFT_MS) headers.set(WATCHING, '1');
  const init: RequestInit = { method, headers };
  if (body !== undefined) init.body = JSON.stringify(body);
  // A change is never given up: the service may have it already. Only a sign-in or a sign-out is, which can be done again.
  const isSafe = method === 'GET' || path === SESSION_PATH;
  const ends = [signal, ...(isSafe ? [untilUnreachable(), AbortSignal.timeout(LONGEST_MS)] : [])];
  init.signal = AbortSignal.any(ends.filter((end) => !!end));
  const slow = setTimeout(look, SLOW_MS);
  try {
    const response = await Promise.race([takeEarly(method, path) ?? fetch(path, init), ended(init.signal)]);
    noteAnswer(response);
    return response;
  } catch (error) {
    throw unreachable(error);
  } finally {
    clearTimeout(slow);
  }
}

/** Rejects when the signal aborts: an early request knows none. */
function ended(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}

declare global {
  interface Window {
    /** Answers, by path, to requests that public/early.js sent before this code was loaded. */
    readonly early?: Map<string, Promise<Response>>;
  }
}

/** Takes an early answer, each once. The first request without one drops the rest: they would be outdated. */
function takeEarly(method: Method, path: string): Promise<Response> | undefined {
  const answer = method === 'GET' ? window.early?.get(path) : undefined;
  if (answer) window.early?.delete(path);
  else window.early?.clear();
  return answer;
}

/** The error of a request without an answer. An AbortError is kept: the caller asked for it. */
export function unreachable(error: unknown): unknown {
  if (error instanceof DOMException && error.name === 'AbortError') return error;
  // After LONGEST_MS the service is known to answer others.
  if (!(error instanceof DOMException && error.name === 'TimeoutError')) noteAnswer(null);
  return new ApiProblem({ code: 'network', status: 0, detail: 'The service did not answer.' });
}

function unreadable({ status }: Response): Pick<Problem, 'code' | 'status' | 'detail'> {
  return { code: 'unreadable', status, detail: `The answer (status ${status}) could not be read.` };
}

function isProblem(answer: unknown): answer is Problem {
  return typeof answer === 'object' && answer !== null && 'code' in answer && 'detail' in answer;
}

function secondsToWait(response: Response): number | null {
  const seconds = Number.parseInt(response.headers.get('retry-after') ?? '', 10);
  return Number.isFinite(seconds) ? seconds : null;
}
