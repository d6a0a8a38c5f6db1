import type { ApiToken, ProcessSetting, Source } from '../admin/contract.ts';
import { formatDuration } from '../core/duration.ts';
import { isThisMachine } from './connection.ts';

/** What was found out about a running service. */
export interface Checked {
  /** The address that was asked. */
  readonly url: URL;
  readonly settings: readonly ProcessSetting[];
  readonly sources: readonly Source[];
  readonly tokens: readonly ApiToken[];
  /** Whether webhooks may go to the machine of the service. */
  readonly isLoopbackAllowed: boolean;
  /** Whether `/metrics` or `/health/live` answers on the port that takes calls. */
  readonly isInsideOpen: boolean;
  /** Mode of the data folder; null if it is not on this machine, or does not exist. */
  readonly folderMode: number | null;
  /** Age of the newest backup, milliseconds. Null if it is unknown where backups are; Infinity if there is none. */
  readonly backupAge: number | null;
  /** The highest good age of a backup, milliseconds. */
  readonly maxBackupAge: number;
}

export interface Finding {
  readonly what: string;
  /** `open`: could not be checked from here. */
  readonly state: 'good' | 'bad' | 'warn' | 'open';
  /** What was found and, if it is not good, how to fix it. */
  readonly words: string;
}

type Verdict = Omit<Finding, 'what'>;

const good = (words: string): Verdict => ({ state: 'good', words });
const bad = (words: string): Verdict => ({ state: 'bad', words });
const warn = (words: string): Verdict => ({ state: 'warn', words });
const open = (words: string): Verdict => ({ state: 'open', words });

/** Checks the hardening list of docs/security.md. Reads nothing but its argument. */
export function findings(checked: Checked): readonly Finding[] {
  return Object.entries(CHECKS).map(([what, check]) => ({ what, ...check(checked) }));
}

const CHECKS: Readonly<Record<string, (checked: Checked) => Verdict>> = {
  'admin token': ({ settings }) =>
    settingOf(settings, 'ADMIN_TOKEN') !== ''
      ? good('is one of your own')
      : settingOf(settings, 'DATABASE_URL') !== ''
        ? good('was made by a node, and the database keeps a hash of it')
        : warn('lies in a file of the data folder. Give one by MILLRACE_ADMIN_TOKEN'),
  TLS({ url }) {
    if (url.protocol === 'https:') return good('is spoken here');
    return isThisMachine(url.href)
      ? open('was not looked at: ask by the address that callers use (--url https://…)')
      : bad('is missing: keys and persons go over the network as they are. Put a proxy with TLS in front');
  },
  proxy: ({ settings }) =>
    settingOf(settings, 'TRUST_PROXY') !== ''
      ? good('is named')
      : warn(
          'is none named: behind one all callers have one address, and share its part of a quota. Set MILLRACE_TRUST_PROXY',
        ),
  'metrics and health'({ settings, isInsideOpen, url }) {
    if (settingOf(settings, 'MANAGEMENT_PORT') !== '') return good('have a port of their own');
    if (!isInsideOpen) return good('are kept inside');
    const words = 'are open to all callers. Set MILLRACE_MANAGEMENT_PORT, or keep them inside at the proxy';
    return isThisMachine(url.href) ? warn(words) : bad(words);
  },
  'private URLs'({ settings, isLoopbackAllowed }) {
    if (settingOf(settings, 'ALLOW_PRIVATE_URLS') === 'true')
      return bad('are allowed: who can create a destination reaches your network. Unset MILLRACE_ALLOW_PRIVATE_URLS');
    return isLoopbackAllowed
      ? warn('of this machine are allowed, as an admin asked for a trial, until the service is restarted')
      : good('are refused');
  },
  secrets: ({ settings }) =>
    settingOf(settings, 'SECRETS_KEY') !== ''
      ? good('are encrypted where they are kept')
      : warn('are kept as they are. Set MILLRACE_SECRETS_KEY'),
  quotas({ sources }) {
    const open = sources.filter(({ type }) => type !== 'server');
    if (open.length === 0) return good('are not needed: there is no web or mobile source');
    const without = open.filter(({ limits }) => limits.eventsPerSecond === null);
    if (without.length === 0) return good('bound every web and mobile source');
    return bad(`are missing, and the keys are public: give a quota to ${named(without)}`);
  },
  origins({ sources }) {
    const without = sources.filter(({ type, allowedOrigins }) => type === 'web' && allowedOrigins.length === 0);
    if (without.length === 0) return good('are named for every web source');
    return warn(`are any for ${named(without)}: name the sites in allowedOrigins`);
  },
  'API tokens'({ tokens }) {
    const endless = tokens.filter(({ expiresAt }) => expiresAt === null);
    return endless.length === 0 ? good('all end') : warn(`never end: ${named(endless)}. Make ones that do`);
  },
  'data folder'({ folderMode }) {
    if (folderMode === null) return open('was not looked at: name it with --data-dir, on its machine');
    const mode = (folderMode & 0o777).toString(8).padStart(4, '0');
    if ((folderMode & 0o007) !== 0) return bad(`may be read by every user (${mode}): chmod o= it`);
    return (folderMode & 0o070) !== 0 ? warn(`may be read by a group (${mode})`) : good("is its user's alone");
  },
  backup({ backupAge, maxBackupAge }) {
    if (backupAge === null) return open('was not looked at: name its folder with --backup');
    if (backupAge === Number.POSITIVE_INFINITY) return bad('is none there');
    const age = `is ${formatDuration(Math.max(1, Math.round(backupAge / 60_000)) * 60_000)} old`;
    if (backupAge <= maxBackupAge) return good(age);
    return bad(`${age}, more than ${formatDuration(maxBackupAge)}. Make one, and try to restore it`);
  },
};

function settingOf(settings: readonly ProcessSetting[], name: string): string {
  return settings.find((setting) => setting.name === `MILLRACE_${name}`)?.value ?? '';
}

/** The most names in one finding. */
const NAMED = 5;

function named(things: readonly { readonly name: string }[]): string {
  const more = things.length - NAMED;
  const some = things.slice(0, NAMED).map(({ name }) => JSON.stringify(name));
  return `${some.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
