import type * as contract from '../admin/contract.ts';
import { readJson } from '../core/json.ts';
import { type CollectAnswer, readAnswer, waitAsked } from '../import/answer.ts';
import { CommandFailure, EXIT } from './io.ts';

/**
 * How long the service may take to answer, milliseconds. A replay's preview reads the whole log; settings name hosts to look up, and
 * each thing that a file changes is a write.
 */
const TIMEOUT = 10_000;
const TIMEOUTS: Readonly<Record<string, number>> = {
  'POST /api/settings-file/plan': 60_000,
  'POST /api/settings-file/apply': 300_000,
  'POST /api/replays': 120_000,
};

/** What a call takes, an id in its path first, and what it is answered. */
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
  /** Where the token came from, for the message when it is refused. */
  readonly tokenFrom: string;
}

/** What the service answered instead of doing what it was asked. */
export class Refused extends CommandFailure {
  override readonly name = 'Refused';
  readonly status: number;
  /** Stable; one of docs/http-api.md. */
  readonly code: string;
  readonly errors: readonly contract.FieldError[];

  constructor(message: string, status: number, code: string, errors: readonly contract.FieldError[] = []) {
    // It names fields where it tried nothing.
    super(message, { exitCode: errors.length > 0 ? EXIT.usage : EXIT.failed });
    this.status = status;
    this.code = code;
    this.errors = errors;
  }
}

/**
 * The admin API, as the commands use it.
 *
 * @throws Refused with the problem the service answers, CommandFailure when it can't be reached or isn't Millrace.
 */
export class Client {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  get url(): string {
    return this.#options.url;
  }

  /** Those whose calls come from outside: what audiences and computed traits send under is theirs alone. */
  async sources(): Promise<contract.Source[]> {
    const sources = await this.#all<contract.Source>('/api/sources');
    return sources.filter(({ sentBy }) => sentBy === null);
  }

  destinations(): Promise<contract.Destination[]> {
    return this.#all('/api/destinations');
  }

  /** @param revision of the plan that was agreed to. */
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

  /** One of `Calls`, with what it takes. */
  call<C extends keyof Calls>(call: C, ...given: Parameters<Calls[C]>): Promise<ReturnType<Calls[C]>> {
    const [id, body] = call.includes('/:id') ? given : [null, ...given];
    return this.#ask(call.replace('/:id', `/${encodeURIComponent(String(id))}`), body);
  }

  /** Every item of every page. */
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

  /** @param revision Refused when what is there has another. */
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

const OTHER_URL = 'Name the right address with --url or MILLRACE_URL.';
export const OTHER_TOKEN = 'Give the right one with --token or MILLRACE_ADMIN_TOKEN.';

type Answered = Pick<CollectAnswer, 'ok' | 'status' | 'text' | 'retryAfter'>;

/** One request, and any answer to it. @throws CommandFailure when no answer came. */
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
    throw new CommandFailure(`cannot reach ${url} (${reasonOf(error)}). Is the service running? ${OTHER_URL}`, {
      cause: error,
    });
  }
}

/** How long the collection API may take to answer, milliseconds: as long as a slow disk takes to sync. */
const COLLECT_TIMEOUT = 30_000;

/** Sends one body, a call or a batch. A refusal is an answer. @throws CommandFailure when no answer came. */
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

/** The runtime waits for an answer's head for 300 s at most. */
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
