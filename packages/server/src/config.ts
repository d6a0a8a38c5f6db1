import { type Row, SCHEMA } from './config-schema.ts';
import type { Kind } from './config-values.ts';
import { formatDuration } from './core/duration.ts';
import { type Near, nearestName } from './core/near-name.ts';

/** The settings of the process (contract 13): checked, with all defaults filled in, frozen. */
export type Config = {
  readonly [K in keyof typeof SCHEMA]: (typeof SCHEMA)[K] extends Row<infer T> ? T : never;
};

const PREFIX = 'MILLRACE_';

/** One row of the schema, as the command line and the documentation show it. */
export interface Setting {
  /** Field of Config, and the key that commander uses for the flag: `dataDir`. */
  readonly name: string;
  /** `MILLRACE_DATA_DIR` */
  readonly env: string;
  /** `data-dir` */
  readonly flag: string;
  readonly type: Kind<unknown>['type'];
  /** The default as text; empty if there is none. */
  readonly fallback: string;
  /** The limits, in words that follow "must be". */
  readonly limits: string;
  readonly help: string;
  readonly secret: boolean;
}

export const SETTINGS: readonly Setting[] = Object.entries<Row<unknown>>(SCHEMA).map(([name, row]) => {
  const { kind, fallback, help, secret } = row;
  const written = { type: kind.type, limits: kind.limits, fallback: kind.format(fallback) };
  return { name, env: envOf(name), flag: flagOf(name), ...written, help, secret };
});

const NAMES = Object.keys(SCHEMA) as (keyof Config)[];
const VARIABLES: readonly string[] = SETTINGS.map((setting) => setting.env);

const MASK = '****';

type RunningSetting = Pick<Setting, 'name' | 'help'> & { readonly value: string; readonly default: string | null };

/** All problems of the settings in one error. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** One or two sentences per problem: the setting, its value, its limits. Secrets are masked. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(
      `${problems.length} ${problems.length === 1 ? 'setting is' : 'settings are'} wrong:\n- ${problems.join('\n- ')}`,
    );
    this.problems = problems;
  }
}

export interface ConfigSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Values of flags, by the setting's name (`dataDir`). A flag overrides the environment. Unknown names are ignored. */
  readonly flags?: Readonly<Record<string, unknown>>;
}

/**
 * Reads the settings. An empty value counts as not set, so that a compose file may pass on unset variables.
 *
 * @throws ConfigError listing every problem: a value outside its limits, values that contradict each other, and a variable with
 * almost the name of a setting.
 */
export function parseConfig({ env, flags = {} }: ConfigSources): Config {
  const problems: string[] = [];
  /** The given, valid settings, with the name they were given under: `MILLRACE_PORT` or `--port`. */
  const given = new Map<keyof Config, string>();
  const refused = new Set<keyof Config>();

  function read(name: keyof Config): unknown {
    const row: Row<unknown> = SCHEMA[name];
    const byFlag = (flags[name] ?? '') !== '';
    const raw = String((byFlag ? flags[name] : env[envOf(name)]) ?? '');
    if (raw === '') return row.fallback;
    const label = byFlag ? `--${flagOf(name)}` : envOf(name);
    const value = row.kind.parse(raw);
    if (value !== undefined) {
      given.set(name, label);
      return value;
    }
    refused.add(name);
    problems.push(refusal(label, raw, row));
    return row.fallback;
  }

  const config = Object.fromEntries(NAMES.map((name) => [name, read(name)])) as unknown as Config;
  const schedule = fitSchedule(config, given);
  // A refused value was replaced by its default, so a contradiction would mean nothing.
  if (!SCHEDULE.some((name) => refused.has(name))) problems.push(...contradictions(schedule, given));
  for (const { names, both, without } of PAIRS) {
    // A refused value is not missing.
    if (!names.some((name) => refused.has(name))) problems.push(...halves(given, names, both, without));
  }
  if (!refused.has('managementPort')) problems.push(...strayManagement(config, given));
  for (const { name, nearest, isSlip } of nearNames(env)) {
    if (isSlip) problems.push(`${name} is no setting. Did you mean ${nearest}?`);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze({ ...config, ...schedule });
}

/** The settings as text, by name, secrets masked: safe to print and to log. */
export function describeConfig(config: Config): Readonly<Record<keyof Config, string>> {
  const shown = (name: keyof Config): string => {
    const row: Row<unknown> = SCHEMA[name];
    const value = row.kind.format(config[name]);
    return row.secret && value !== '' ? MASK : value;
  };
  return Object.fromEntries(NAMES.map((name) => [name, shown(name)])) as Record<keyof Config, string>;
}

/**
 * Every setting by its variable, with its value, in the order of the documentation: safe to show. A missing value is empty, a
 * secret is masked; a missing default is null.
 */
export function settingsOf(config: Config): readonly RunningSetting[] {
  const values: Readonly<Record<string, string>> = describeConfig(config);
  return SETTINGS.map(({ name, env, fallback, help }) => {
    return { name: env, value: values[name] ?? '', default: fallback === '' ? null : fallback, help };
  });
}

/**
 * Variables with the prefix of settings that have no effect, one log line each. Kubernetes sets some for a service named
 * `millrace`. Variables with almost the name of a setting are not included: they cause a ConfigError.
 */
export function strayVariables(env: ConfigSources['env']): string[] {
  return nearNames(env)
    .filter(({ isSlip }) => !isSlip)
    .map(({ name, nearest }) => `${name} is no setting and has no effect (the nearest is ${nearest})`);
}

/** Unknown variables with the prefix, each with the most similar setting. */
function nearNames(env: ConfigSources['env']): (Near & { readonly name: string })[] {
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !VARIABLES.includes(name))
    .map((name) => ({ name, ...nearestName(name, VARIABLES, PREFIX.length) }));
}

/** Name of a setting's variable: `dataDir` → `MILLRACE_DATA_DIR`. */
function envOf(name: string): string {
  return PREFIX + flagOf(name).replaceAll('-', '_').toUpperCase();
}

/** Name of a setting's flag: `dataDir` → `data-dir`. */
function flagOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

const SCHEDULE = ['retryBase', 'retryCap', 'retryWindow'] as const;

type Schedule = Pick<Config, (typeof SCHEDULE)[number]>;

type Given = ReadonlyMap<keyof Config, string>;

/** Fits delays that were not given to those that were: a user who sets only a window of 3 s wants short delays too. */
function fitSchedule({ retryBase, retryCap, retryWindow }: Schedule, given: Given): Schedule {
  const cap = given.has('retryCap') ? retryCap : Math.min(Math.max(retryCap, retryBase), retryWindow);
  return { retryWindow, retryCap: cap, retryBase: given.has('retryBase') ? retryBase : Math.min(retryBase, cap) };
}

function contradictions(schedule: Schedule, given: Given): string[] {
  const pairs = [
    ['retryBase', 'retryCap'],
    ['retryCap', 'retryWindow'],
    ['retryBase', 'retryWindow'],
  ] as const;
  return pairs.flatMap(([lower, upper]) => {
    const [label, bound] = [given.get(lower), given.get(upper)];
    // The window always limits, even by its default, because only delays are fitted. Fitted values can't contradict a setting.
    if (label === undefined || (bound === undefined && upper !== 'retryWindow')) return [];
    // With a given cap, the comparisons with the cap report it already: report a base above the window only once.
    if (lower === 'retryBase' && upper === 'retryWindow' && given.has('retryCap')) return [];
    if (schedule[lower] <= schedule[upper]) return [];
    const [is, most] = [formatDuration(schedule[lower]), formatDuration(schedule[upper])];
    return [
      `${label} is ${is}, longer than ${bound ?? `the default of ${envOf(upper)}`} (${most}). Shorten the one or lengthen the other.`,
    ];
  });
}

/** Settings that must be given together. */
const PAIRS = [
  { names: ['databaseUrl', 'natsUrl'], both: 'a cluster needs both', without: 'to run as one process' },
  { names: ['smtpUrl', 'smtpFrom'], both: 'e-mail alerts need both', without: 'to send none' },
] as const satisfies readonly {
  readonly names: readonly [keyof Config, keyof Config];
  both: string;
  without: string;
}[];

/** The problem with a pair of which only one setting is given. */
function halves(given: Given, names: readonly [keyof Config, keyof Config], both: string, without: string): string[] {
  const [missing, ...others] = names.filter((name) => !given.has(name));
  if (missing === undefined || others.length > 0) return [];
  const label = given.get(names[0] === missing ? names[1] : names[0]);
  return [
    `${label} is set and ${envOf(missing)} is not: ${both}. Set ${envOf(missing)} too, or leave out both ${without}.`,
  ];
}

/** Problems with the management address: a host without a port has no effect, and two servers can't share a port. */
function strayManagement({ port, managementPort }: Config, given: Given): string[] {
  const [host, own] = [given.get('managementHost'), given.get('managementPort')];
  if (host !== undefined && own === undefined) {
    return [
      `${host} is set and ${envOf('managementPort')} is not: it has no effect. Set the port too, or leave out both.`,
    ];
  }
  if (own === undefined || managementPort === 0 || managementPort !== port) return [];
  return [
    `${own} is ${port}, and so is ${given.get('port') ?? `the default of ${envOf('port')}`}. Take another one, or leave it out.`,
  ];
}

function refusal(label: string, raw: string, { kind, fallback, secret }: Row<unknown>): string {
  const otherwise = kind.format(fallback) === '' ? '' : ` Left out, it is ${kind.format(fallback)}.`;
  return `${label} is ${secret ? MASK : JSON.stringify(raw)}; it must be ${kind.limits}.${otherwise}`;
}
