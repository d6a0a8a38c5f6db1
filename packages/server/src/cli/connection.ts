import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import type { Source } from '../admin/contract.ts';
import { byName, type Named, nameAndId } from '../core/named.ts';
import { Client, type ClientOptions, OTHER_TOKEN } from './client.ts';
import { CommandFailure, type Io, usageFailure } from './io.ts';
import { printable } from './paint.ts';

export const DEFAULT_URL = 'http://127.0.0.1:8080';

/** Variables that only the commands read, not the service. */
export const CLIENT_VARIABLES: readonly string[] = ['MILLRACE_URL', 'MILLRACE_WRITE_KEY', 'MILLRACE_LISTEN_SECRET'];

export interface ServiceFlags {
  readonly url?: string;
  readonly token?: string;
}

export interface SourceFlags extends ServiceFlags {
  readonly source?: string;
  readonly writeKey?: string;
}

/** Adds `--url` and `--token`, for a command that talks to a running service. */
export function withServiceFlags(command: Command): Command {
  return command
    .option('--url <url>', `the service (MILLRACE_URL; default ${DEFAULT_URL})`)
    .option(
      '--token <token>',
      'its admin token (MILLRACE_ADMIN_TOKEN; for a service on this machine by default the one kept in ./data)',
    );
}

/** Adds `--write-key` and `--source` too, for a command that sends calls. */
export function withSourceFlags(command: Command): Command {
  return withServiceFlags(command)
    .addOption(
      new Option(
        '--write-key <key>',
        'write key of the source (MILLRACE_WRITE_KEY; default: asked of the service)',
      ).conflicts('source'),
    )
    .option('--source <source>', 'name or id of the source, where there are several');
}

export function urlOf(io: Io, flags: ServiceFlags): string {
  const given = flags.url ?? (io.env['MILLRACE_URL'] || DEFAULT_URL);
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw usageFailure(`the service's address must be a URL like ${DEFAULT_URL}, not ${JSON.stringify(given)}`);
  }
  if (url.pathname !== '/' || url.search !== '')
    throw usageFailure(`the service's address has no path: ${url.origin}, not ${JSON.stringify(given)}`);
  return url.origin;
}

/**
 * The admin API, with the given token. Without one, and only for a service on this machine: with the token in the data folder.
 * That token is never sent elsewhere.
 */
export async function connect(io: Io, flags: ServiceFlags): Promise<Client> {
  const url = urlOf(io, flags);
  if (flags.token !== undefined) return clientOf({ url, token: flags.token, tokenFrom: '--token' });
  const token = io.env['MILLRACE_ADMIN_TOKEN'];
  if (token) return clientOf({ url, token, tokenFrom: 'MILLRACE_ADMIN_TOKEN' });
  if (!isThisMachine(url)) throw usageFailure(`this needs the admin token of ${url}. ${OTHER_TOKEN}`);
  const path = join(io.env['MILLRACE_DATA_DIR'] || './data', 'admin-token');
  const kept = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw usageFailure(
      `this needs the admin token. ${OTHER_TOKEN} (${path}: ${error.code === 'ENOENT' ? 'no such file' : error.message})\n` +
        'Where the service was started with one in its environment, type first: export MILLRACE_ADMIN_TOKEN=THE_TOKEN',
      error,
    );
  });
  return clientOf({ url, token: kept.trim(), tokenFrom: path });
}

/** @throws CommandFailure if the token can't stand in a request. The message does not contain the token. */
function clientOf(options: ClientOptions): Client {
  try {
    new Headers({ authorization: options.token });
  } catch (error) {
    throw usageFailure(
      `the admin token from ${options.tokenFrom} has a line break in it, or another character that no token has. ${OTHER_TOKEN}`,
      error,
    );
  }
  return new Client(options);
}

/** The given write key; else the write key of the named source, or of the only one. */
export async function writeKeyOf(io: Io, flags: SourceFlags): Promise<string> {
  if (flags.writeKey !== undefined) return flags.writeKey;
  const key = io.env['MILLRACE_WRITE_KEY'];
  if (key && flags.source === undefined) return key;
  return oneSource(await (await connect(io, flags)).sources(), flags.source).writeKey;
}

/** The named source, or the only one. @throws CommandFailure if there is none, or several. */
export function oneSource(sources: readonly Source[], named: string | undefined): Source {
  const fitting = named === undefined ? sources : byName(sources, named);
  const [source, ...more] = fitting;
  if (source !== undefined && more.length === 0) return source;
  if (source !== undefined) {
    throw usageFailure(`which source? Say --source with one of: ${fitting.map(shownName).join(', ')}`);
  }
  if (named !== undefined) throw noneNamed('source', sources, named);
  throw new CommandFailure('there is no source yet. `millrace listen --connect` makes one, or POST /api/sources.');
}

export function noneNamed(kind: string, things: readonly Named[], named: string): CommandFailure {
  const there = things.map(shownName).join(', ') || 'none';
  return usageFailure(`there is no ${kind} ${JSON.stringify(named)}. There are: ${there}`);
}

/** Name and id, safe to print on a terminal. */
export function shownName(thing: Named): string {
  return printable(nameAndId(thing));
}

/** Whether a URL points to this machine. */
export function isThisMachine(url: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);
}
