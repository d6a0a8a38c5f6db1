import type * as contract from '../admin/contract.ts';
import { readJson } from '../core/json.ts';
import { type CollectAnswer, readAnswer, waitAsked } from '../import/answer.ts';
import { CommandFailure, EXIT } from './io.ts';

/**
 * How long the service may take to answer, milliseconds. Slow calls: the preview of a replay reads the whole log; applying
 * settings looks up host names, and writes once per change.
 */
const TIMEOUT = 10_000;
const TIMEOUTS: Readonly<Record<string, number>> = {
  'POST /api/settings-file/plan': 60_000,
  'POST /api/settings-file/apply': 300_000,
  'POST /api/replays': 120_000,
};

/** The calls: their parameters, beginning with the id in the path, and their answers. */
interface Calls {
  'POST /api/sources'(source: contract.NewSource): contract.Source;
  'PATCH /api/sources/:id'(id: string, change: contract.SourceChange): contract.Source;
  'DELETE /api/sources/:id'(id: string): void;
  'POST /api/destinations'(destination: contract.NewDestination): contract.Destination;
  'PATCH /api/destinations/:id'(id: string, change: contract.DestinationChange): contract.Destination;
  'DELETE /api/destinations/:id'(id: string): void;
  'GET /api/destinations/:id/counts'(id: string): contract.Counts;
  'GET /api/loopback'(): contract.Loopback;
  'POST /api/loopback/allow'(): contract.Loopback;
  'GET /api/process-settings'(): contract.Page<contract.ProcessSetting>;
  'GET /api/settings-file'(): contract.SettingsFile;
  'GET /api/settings-file?withWriteKeys=true'(): contract.SettingsFile;
  'POST /api/settings-file/plan'(settings: contract.NewSettings): contract.SettingsPlan;
  'GET /api/backups'(): contract.BackupList;
  'POST /api/backups'(backup: contract.NewBackup): contract.Backup;
  'GET /api/replays/:id'(id: string): contract.Replay;
  'POST /api/replays/:id/stop'(id: string): contract.Replay;
}

export interface ClientOptions {
  /** `http://127.0.0.1:8080` */
  readonly url: string;
  readonly token: string;
  /** Where the token was found; named in the message if the token is refused. */
  readonly tokenFrom: string;
}

/** The service refused a request. */
export class Refused extends CommandFailure {
  override readonly name = 'Refused';
  readonly status: number;
  /** A stable code from docs/http-api.md. */
  readonly code: string;
  readonly errors: readonly contract.FieldError[];

  constructor(message: string, status: number, code: string, errors: readonly contract.FieldError[] = []) {
    // An answer with wrong fields means that the service tried nothing.
    super(message, { exitCode: errors.length > 0 ? EXIT.usage : EXIT.failed });
    this.status = status;
    this.code = code;
    this.errors = errors;
  }
}

/**
 * The admin API, as the commands use it.
 *
 * @throws Refused with the service's problem; CommandFailure if the service can't be reached or isn't Millrace.
 */
export class Client {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  get url(): string {
    return this.#options.url;
  }

  /** The sources whose calls come from outside. Sources of audiences and computed traits are left out: only those send under them. */
  async sources(): Promise<contract.Source[]> {
    const sources = await this.#all<contract.Source>('/api/sources');
    return sources.filter(({ sentBy }) => sentBy === null);
  }

  destinations(): Promise<contract.Destination[]> {
    return this.#all('/api/destinations');
  }

  /** @param revision revision of the plan that the user has confirmed. */
  applySettings(settings: contract.NewSettings, revision: string): Promise<contract.AppliedSettings> {
    return this.#ask('POST /api/settings-file/apply', settings, revision);
  }

  tokens(): Promise<contract.ApiToken[]> {
    return this.#all('/api/tokens');
  }

  previewReplay(replay: contract.NewReplay): Promise<contract.ReplayPreview> {
    return this.#ask('POST /api/replays', { ...replay, dryRun: true });
  }

  createReplay(replay: contract.NewReplay): Promise<contract.Replay> {
    return this.#ask('POST /api/replays', { ...replay, dryRun: false });
  }

  /** Makes one of the calls in `Calls`. */
  call<C extends keyof Calls>(call: C, ...given: Parameters<Calls[C]>): Promise<ReturnType<Calls[C]>> {
    const [id, body] = call.includes('/:id') ? given : [null, ...given];
    return this.#ask(call.replace('/:id', `/${encodeURIComponent(String(id))}`), body);
  }

  /** The items of all pages. */
  async #all<T>(path: string): Promise<T[]> {
    const items: T[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page: contract.Page<T> = await this.#ask(`GET ${path}?limit=500${query}`);
      items.push(...page.items);
      cursor = page.next;
    } while (cursor !== null);
    return items;
  }

  /** @param revision if given, the service refuses the request when the current revision is another. */
  async #ask<T>(call: string, body?: unknown, revision?: string): Promise<T> {
    const { url, token } = this.#options;
    const [method = '', path = ''] = call.split(' ');
    const headers: Record<string, string> = { authorization: `Bearer ${token}` };
    if (body !== undefined) headers['content-type'] = 'application/json';
    if (revision !== undefined) headers['if-match'] = `"${revision}"`;
    const answer = await reach(url, path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUTS[call] ?? TIMEOUT),
    });
    if (answer.status === 204) return undefined as T;
    const json = readJson(answer.text);
    if (answer.ok && json !== undefined) return json as T;
    throw this.#refusal(answer.status, json);
  }

  #refusal(status: number, json: unknown): CommandFailure {
    const { url, tokenFrom } = this.#options;
    if (!isProblem(json)) {
      return new CommandFailure(`${url} does not answer like Millrace (status ${status}). ${OTHER_URL}`);
    }
    if (json.code === 'unauthorized') {
      return new Refused(`${url} refuses the admin token from ${tokenFrom}. ${OTHER_TOKEN}`, status, json.code);
    }
    return new Refused(json.detail, status, json.code, json.errors ?? []);
  }
}

const BLOCKED_PORT =
  'because browsers, and this command, send no HTTP to its port (https://fetch.spec.whatwg.org/#port-blocking). Start the service on another port.';
const OTHER_URL = 'Name the right address with --url or MILLRACE_URL.';
export const OTHER_TOKEN = 'Give the right one with --token or MILLRACE_ADMIN_TOKEN.';

type Answered = Pick<CollectAnswer, 'ok' | 'status' | 'text' | 'retryAfter'>;

/** Sends one request and answers any response. @throws CommandFailure if no response came. */
export async function reach(url: string, path: string, init: RequestInit): Promise<Answered> {
  try {
    const response = await fetch(new URL(path, url), { redirect: 'manual', ...init });
    const text = await response.text();
    const retryAfter = waitAsked(response.headers.get('retry-after'));
    return { ok: response.ok, status: response.status, text, retryAfter };
  } catch (error) {
    if (isLate(error) && (init.method ?? 'GET') !== 'GET') {
      throw new CommandFailure(
        `${url} gave no answer in time. It is not known whether it did what was asked, and it may still be at it: look before you ask again.`,
        { cause: error },
      );
    }
    const reason = reasonOf(error);
    // The error of fetch for ports on a list of the Fetch standard, as those of IRC and SMTP.
    const why = reason === 'bad port' ? BLOCKED_PORT : `(${reason}). Is the service running?`;
    throw new CommandFailure(`cannot reach ${url} ${why} ${OTHER_URL}`, { cause: error });
  }
}

/** How long the collection API may take to answer, milliseconds: a slow disk may take long to sync. */
const COLLECT_TIMEOUT = 30_000;

/** Sends one body, a call or a batch. A refusal is an answer too. @throws CommandFailure if no answer came. */
export async function collect(
  url: string,
  path: string,
  writeKey: string,
  body: string,
  signal?: AbortSignal,
): Promise<CollectAnswer> {
  const timeout = AbortSignal.timeout(COLLECT_TIMEOUT);
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

/** Also true for the runtime's own limit: it waits at most 300 s for the head of an answer. */
function isLate(error: unknown): boolean {
  const { name, cause } = error as Error;
  return name === 'TimeoutError' || (cause as NodeJS.ErrnoException | undefined)?.code === 'UND_ERR_HEADERS_TIMEOUT';
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'no answer in time';
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  if ('code' in cause && cause.code === 'ECONNREFUSED') return 'connection refused';
  return cause.message === '' && 'code' in cause ? String(cause.code) : cause.message;
}

function isProblem(json: unknown): json is contract.Problem {
  return typeof json === 'object' && json !== null && 'code' in json && 'detail' in json;
}
