import type { ApiToken, ProcessSetting, Source } from '../admin/contract.ts';
import { formatDuration } from '../core/duration.ts';
import { isThisMachine } from './connection.ts';

/** What is known of a running service. */
export interface Checked {
  /** Where it was asked. */
  readonly url: URL;
  readonly settings: readonly ProcessSetting[];
  readonly sources: readonly Source[];
  readonly tokens: readonly ApiToken[];
  /** Whether `/metrics` answers where calls are sent. */
  readonly isMetricsOpen: boolean;
  /** Mode of the data folder; null where it is not on this machine, or there is none. */
  readonly folderMode: number | null;
  /** Age of the newest backup, milliseconds: null where it was not said where it is, Infinity where there is none. */
  readonly backupAge: number | null;
  /** How old it may be. */
  readonly maxBackupAge: number;
}

export interface Finding {
  readonly what: string;
  /** `open`: it could not be seen from here. */
  readonly state: 'good' | 'bad' | 'warn' | 'open';
  /** What was found, and where it isn't good how to mend it. */
  readonly words: string;
}

/** The hardening list of docs/security.md, checked. Pure. */
export function findings(checked: Checked): readonly Finding[] {
  return [token, tls, proxy, metrics, privateUrls, secrets, quotas, origins, tokens, folder, backup].map((check) =>
    check(checked),
  );
}

function token({ settings }: Checked): Finding {
  const what = 'admin token';
  if (settingOf(settings, 'ADMIN_TOKEN') !== '') return { what, state: 'good', words: 'is one of your own' };
  return { what, state: 'warn', words: 'lies in a file of the data folder. Give one by MILLRACE_ADMIN_TOKEN' };
}

function tls({ url }: Checked): Finding {
  const what = 'TLS';
  if (url.protocol === 'https:') return { what, state: 'good', words: 'is spoken here' };
  if (isThisMachine(url.href)) {
    return { what, state: 'open', words: 'was not looked at: ask by the address that callers use (--url https://…)' };
  }
  return {
    what,
    state: 'bad',
    words: 'is missing: keys and persons go over the network as they are. Put a proxy with TLS in front',
  };
}

function proxy({ settings }: Checked): Finding {
  const what = 'proxy';
  if (settingOf(settings, 'TRUST_PROXY') !== '') return { what, state: 'good', words: 'is named' };
  return {
    what,
    state: 'warn',
    words:
      'is none named: behind one all callers have one address, and share its part of a quota. Set MILLRACE_TRUST_PROXY',
  };
}

function metrics({ settings, isMetricsOpen, url }: Checked): Finding {
  const what = 'metrics and health';
  if (settingOf(settings, 'MANAGEMENT_PORT') !== '') return { what, state: 'good', words: 'have a port of their own' };
  if (!isMetricsOpen) return { what, state: 'good', words: 'are kept inside' };
  const words = 'are open to all callers. Set MILLRACE_MANAGEMENT_PORT, or keep them inside at the proxy';
  return { what, state: isThisMachine(url.href) ? 'warn' : 'bad', words };
}

function privateUrls({ settings }: Checked): Finding {
  const what = 'private URLs';
  if (settingOf(settings, 'ALLOW_PRIVATE_URLS') !== 'true') return { what, state: 'good', words: 'are refused' };
  const words = 'are allowed: who can create a destination reaches your network. Unset MILLRACE_ALLOW_PRIVATE_URLS';
  return { what, state: 'bad', words };
}

function secrets({ settings }: Checked): Finding {
  const what = 'secrets';
  if (settingOf(settings, 'SECRETS_KEY') !== '')
    return { what, state: 'good', words: 'are encrypted where they are kept' };
  return { what, state: 'warn', words: 'are kept as they are. Set MILLRACE_SECRETS_KEY' };
}

function quotas({ sources }: Checked): Finding {
  const what = 'quotas';
  const open = sources.filter(({ type, limits }) => type !== 'server' && limits.eventsPerSecond === null);
  if (open.length === 0) return { what, state: 'good', words: 'bound every web and mobile source' };
  return { what, state: 'bad', words: `are missing, and the keys are public: give a quota to ${named(open)}` };
}

function origins({ sources }: Checked): Finding {
  const what = 'origins';
  const open = sources.filter(({ type, allowedOrigins }) => type === 'web' && allowedOrigins.length === 0);
  if (open.length === 0) return { what, state: 'good', words: 'are named for every web source' };
  return { what, state: 'warn', words: `are any for ${named(open)}: name the sites in allowedOrigins` };
}

function tokens({ tokens: all }: Checked): Finding {
  const what = 'API tokens';
  const endless = all.filter(({ expiresAt }) => expiresAt === null);
  if (endless.length === 0) return { what, state: 'good', words: 'all end' };
  return { what, state: 'warn', words: `never end: ${named(endless)}. Make ones that do` };
}

function folder({ folderMode }: Checked): Finding {
  const what = 'data folder';
  if (folderMode === null)
    return { what, state: 'open', words: 'was not looked at: name it with --data-dir, on its machine' };
  const mode = (folderMode & 0o777).toString(8).padStart(4, '0');
  if ((folderMode & 0o007) !== 0)
    return { what, state: 'bad', words: `may be read by every user (${mode}): chmod o= it` };
  if ((folderMode & 0o070) !== 0) return { what, state: 'warn', words: `may be read by a group (${mode})` };
  return { what, state: 'good', words: "is its user's alone" };
}

function backup({ backupAge, maxBackupAge }: Checked): Finding {
  const what = 'backup';
  if (backupAge === null) return { what, state: 'open', words: 'was not looked at: name its folder with --backup' };
  if (backupAge === Number.POSITIVE_INFINITY) return { what, state: 'bad', words: 'is none there' };
  const age = `is ${formatDuration(Math.max(1, Math.round(backupAge / 60_000)) * 60_000)} old`;
  if (backupAge <= maxBackupAge) return { what, state: 'good', words: age };
  return {
    what,
    state: 'bad',
    words: `${age}, more than ${formatDuration(maxBackupAge)}. Make one, and try to restore it`,
  };
}

function settingOf(settings: readonly ProcessSetting[], name: string): string {
  return settings.find((setting) => setting.name === `MILLRACE_${name}`)?.value ?? '';
}

/** So many are named. */
const NAMED = 5;

function named(things: readonly { readonly name: string }[]): string {
  const more = things.length - NAMED;
  const some = things.slice(0, NAMED).map(({ name }) => JSON.stringify(name));
  return `${some.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
