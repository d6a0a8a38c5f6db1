import { envOf, flagOf, nearNames } from './config-names.ts';
import {
  addresses,
  duration,
  flag,
  integer,
  type Kind,
  keys,
  oneOf,
  optional,
  size,
  text,
  urls,
} from './config-values.ts';
import { formatDuration } from './core/duration.ts';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** The settings of the process (decisions 13): checked, with every default filled in, frozen. Durations are milliseconds. */
export interface Config {
  readonly host: string;
  /** 0 lets the system pick a free one. */
  readonly port: number;
  /** Null: `/metrics` and `/health` are on the port of everything else. 0 lets the system pick a free one. */
  readonly managementPort: number | null;
  /** Null: as `host`. */
  readonly managementHost: string | null;
  readonly dataDir: string;
  /** Null: the service makes no backups. */
  readonly backupDir: string | null;
  /** Null: one is made on the first start and kept in the data directory. */
  readonly adminToken: string | null;
  /** 32 bytes each; the first encrypts. None: secrets are kept as they are. */
  readonly secretsKey: readonly Buffer[];
  readonly allowPrivateUrls: boolean;
  readonly deliveryTimeout: number;
  /** How long a stop may take in all. */
  readonly stopTimeout: number;
  readonly retryWindow: number;
  /** Always retryBase ≤ retryCap ≤ retryWindow. */
  readonly retryBase: number;
  readonly retryCap: number;
  readonly retention: number;
  readonly maxConcurrency: number;
  /** Addresses and networks (`10.0.0.0/8`) whose X-Forwarded-For is believed. */
  readonly trustProxy: readonly string[];
  readonly personAnonymousIds: number;
  readonly personUserIds: number;
  /** Separated by commas; null for none. */
  readonly noIds: string | null;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** Null, with the next one: one process, which keeps everything in its data directory. */
  readonly databaseUrl: string | null;
  readonly natsUrl: string | null;
  readonly natsStreams: number;
  /** Null: 3 in a cluster of NATS servers, 1 on a single one. */
  readonly natsReplicas: number | null;
  /** Bytes; null: as many as the servers have. */
  readonly natsMaxBytes: number | null;
  readonly natsDuplicateWindow: number;
  readonly nodeTimeout: number;
}

/** One row of the schema, as the command line and the documentation show it. */
export interface Setting {
  /** Field of Config, and key of the flag as commander hands it over: `dataDir`. */
  readonly name: string;
  /** `MILLRACE_DATA_DIR` */
  readonly env: string;
  /** `data-dir` */
  readonly flag: string;
  readonly type: Kind<unknown>['type'];
  /** As it would be written; empty when there is none. */
  readonly fallback: string;
  /** What is allowed, in words that follow "must be". */
  readonly limits: string;
  readonly help: string;
  readonly secret: boolean;
}

interface Row<T> {
  readonly kind: Kind<T>;
  readonly fallback: T;
  readonly help: string;
  readonly secret?: true;
}

type Schema = { readonly [K in keyof Config]: Row<Config[K]> };

const HOST: Kind<string> = text('an IP address or a host name', /^[A-Za-z0-9_.:%-]{1,253}$/);

/** The one place that knows the settings: reading, the flags of `millrace start` and docs/configuration.md come from it. */
const SCHEMA: Schema = {
  host: {
    kind: HOST,
    fallback: '127.0.0.1',
    help: 'Address to listen on. `0.0.0.0` or `::` listens on all of them.',
  },
  port: {
    kind: integer(0, 65_535, 'port'),
    fallback: 8080,
    help: 'Port to listen on. 0 picks a free one; the line printed when the service is ready names it.',
  },
  managementPort: {
    kind: optional(integer(0, 65_535, 'port')),
    fallback: null,
    help: 'Port of its own for `/metrics` and `/health`, which then answer there alone. Left out, they are on `MILLRACE_PORT`.',
  },
  managementHost: {
    kind: optional(HOST),
    fallback: null,
    help: 'Address to listen on with `MILLRACE_MANAGEMENT_PORT`. Left out, it is `MILLRACE_HOST`.',
  },
  dataDir: {
    kind: text('a path without control characters', /^[^\p{Cc}]{1,4096}$/u),
    fallback: './data',
    help: 'Directory that holds everything the service keeps. Made when it is missing. One process at a time. A node of a cluster keeps nothing there.',
  },
  backupDir: {
    kind: text<string | null>('a path without control characters', /^[^\p{Cc}]{1,4096}$/u),
    fallback: null,
    help: 'Directory that `millrace backup` and `POST /api/backups` make backups in, each in a folder of its own; best on another disk. Without one, the service makes none. A node of a cluster makes none either.',
  },
  adminToken: {
    kind: text<string | null>('20 to 512 visible ASCII characters without spaces', /^[\x21-\x7e]{20,512}$/),
    fallback: null,
    help: 'Bearer token of the admin API. Without one, a token is made on the first start, printed once and kept in the data directory (mode 0600). In a cluster the database keeps its hash, so that every node takes the same token.',
    secret: true,
  },
  secretsKey: {
    kind: keys,
    fallback: Object.freeze([]),
    help: 'Encrypts shared secrets and the values of static headers where they are kept (AES-256-GCM). The first key encrypts, the others only decrypt: `NEW,OLD` changes the key at the next start. Keep it apart from backups; without it the secrets are lost. In a cluster all nodes have the same.',
    secret: true,
  },
  allowPrivateUrls: {
    kind: flag,
    fallback: false,
    help: 'Lets webhooks go to loopback, private and other addresses that are not on the public internet. For development, and for networks where everyone who can create a destination may reach all of it.',
  },
  deliveryTimeout: {
    kind: duration('10ms', '10m'),
    fallback: 5_000,
    help: 'How long an endpoint may take to answer with its response headers, name lookup and connecting included.',
  },
  stopTimeout: {
    kind: duration('1s', '10m'),
    fallback: 55_000,
    help: 'How long a stop may take in all. Requests under way have half of it at most. What is not finished then is given up, and the process ends with 1 and says what it waited for. Give it a little less than what stops the process (`stop_grace_period`, `terminationGracePeriodSeconds`).',
  },
  retryWindow: {
    kind: duration('10ms', '30d'),
    fallback: 14_400_000,
    help: 'How long a message is retried, counted from its first attempt. The last attempt is at its end.',
  },
  retryBase: {
    kind: duration('1ms', '30d'),
    fallback: 5_000,
    help: 'Delay before the first retry; it doubles with each one after that. At most the cap; where it is left out, it is lowered to a cap or a window that is shorter.',
  },
  retryCap: {
    kind: duration('1ms', '30d'),
    fallback: 600_000,
    help: 'Longest delay between two retries. At most the window; where it is left out, it follows a base that is longer or a window that is shorter.',
  },
  retention: {
    kind: duration('1s', '3650d'),
    fallback: 604_800_000,
    help: 'How long events and what became of them are kept. What still waits for delivery is kept longer.',
  },
  maxConcurrency: {
    kind: integer(1, 1024),
    fallback: 64,
    help: 'Most requests under way to one webhook URL at a time; of a cluster, from each node. The service finds the right number below it by itself.',
  },
  trustProxy: {
    kind: addresses,
    fallback: Object.freeze([]),
    help: 'Proxies whose `X-Forwarded-For` tells the address a call came from. Nobody else is believed.',
  },
  personAnonymousIds: {
    kind: integer(1, 10_000),
    fallback: 100,
    help: 'Most anonymous ids of one person. What would be beyond is not joined; its calls are delivered as ever.',
  },
  personUserIds: {
    kind: integer(1, 1_000),
    fallback: 20,
    help: 'Most user ids of one person. What would be beyond is not joined; its calls are delivered as ever.',
  },
  noIds: {
    kind: text<string | null>('values separated by commas, without control characters', /^[^\p{Cc}]{1,4096}$/u),
    fallback: null,
    help: 'Values that calls carry as an id and that belong to no person, beside `0`, `-1`, `null`, `undefined`, `none`, `nil`, `anonymous`, `guest`, `unknown` and all zeros. Letter case makes no difference.',
  },
  logLevel: {
    kind: oneOf(LOG_LEVELS),
    fallback: 'info',
    help: 'Least serious log lines that are written.',
  },
  databaseUrl: {
    kind: optional(urls('a URL like postgres://user:password@host:5432/database', ['postgres:', 'postgresql:'], 'one')),
    fallback: null,
    help: 'PostgreSQL of a cluster, 13 or newer: the primary server, not through a pooler that shares sessions between transactions. Together with `MILLRACE_NATS_URL` it makes this process a node of a cluster.',
    secret: true,
  },
  natsUrl: {
    kind: optional(
      urls('a URL like nats://user:password@host:4222, or several separated by commas', ['nats:', 'tls:'], 'several'),
    ),
    fallback: null,
    help: 'NATS servers of a cluster, 2.9.3 or newer, with JetStream. Several addresses are tried in turn.',
    secret: true,
  },
  natsStreams: {
    kind: integer(1, 16),
    fallback: 1,
    help: 'Streams that the sources of a cluster are spread over. More of them let more NATS servers lead one. It can’t be changed once there are events.',
  },
  natsReplicas: {
    kind: optional({
      ...integer(1, 5),
      limits: '1, 3 or 5',
      parse: (value) => [1, 3, 5].find((count) => String(count) === value),
    }),
    fallback: null,
    help: 'Copies of each event, on as many NATS servers. Left out, there are 3 in a cluster of NATS servers, and 1 on a single server.',
  },
  natsMaxBytes: {
    kind: optional(size('64MiB')),
    fallback: null,
    help: 'Most that one stream keeps. When it is full, calls are answered 503 until retention has made room. Left out, it is what the NATS servers have.',
  },
  natsDuplicateWindow: {
    kind: duration('30s', '1h'),
    fallback: 120_000,
    help: 'How long NATS recognises events that a node sends again because it heard no answer. NATS keeps an entry in memory for each message of that time.',
  },
  nodeTimeout: {
    kind: duration('2s', '10m'),
    fallback: 30_000,
    help: 'How long a node of a cluster may be silent until the others take over what it had under way. It must be the same on all nodes. A node that is merely slow for so long has its messages delivered twice.',
  },
};

export const SETTINGS: readonly Setting[] = Object.entries<Row<unknown>>(SCHEMA).map(([name, row]) => ({
  name,
  env: envOf(name),
  flag: flagOf(name),
  type: row.kind.type,
  fallback: row.kind.format(row.fallback),
  limits: row.kind.limits,
  help: row.help,
  secret: row.secret === true,
}));

const NAMES = Object.keys(SCHEMA) as (keyof Config)[];
const VARIABLES: readonly string[] = SETTINGS.map((setting) => setting.env);

const MASK = '****';

/** What is wrong with the settings, all of it at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** One sentence or two each: the setting, what it is, what it must be. Values of secrets are masked. */
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
  /** By the setting's name (`dataDir`); a flag goes before the environment. Names that are no setting are left alone. */
  readonly flags?: Readonly<Record<string, unknown>>;
}

/**
 * Reads the settings. An empty value counts as left out, so that a compose file may pass on what it has not been given.
 *
 * @throws ConfigError listing every problem: a value out of its limits, values that contradict each other, and a
 *   variable whose name is nearly a setting's.
 */
export function parseConfig({ env, flags = {} }: ConfigSources): Config {
  const problems: string[] = [];
  /** What was given and can be used, by the name it was given under: `MILLRACE_PORT` or `--port`. */
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
  // What was refused has its default here, and a default contradicts nothing that was meant.
  if (!SCHEDULE.some((name) => refused.has(name))) problems.push(...contradictions(schedule, given));
  if (!refused.has('databaseUrl') && !refused.has('natsUrl')) problems.push(...halfCluster(given));
  problems.push(...strayManagement(config, given));
  for (const { name, nearest, isSlip } of nearNames(env, VARIABLES)) {
    if (isSlip) problems.push(`${name} is no setting. Did you mean ${nearest}?`);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze({ ...config, ...schedule });
}

/** The settings as they would be written, by name, secrets masked: what may be printed and logged. */
export function describeConfig(config: Config): Readonly<Record<keyof Config, string>> {
  const shown = (name: keyof Config): string => {
    const row: Row<unknown> = SCHEMA[name];
    const value = row.kind.format(config[name]);
    return row.secret && value !== '' ? MASK : value;
  };
  return Object.fromEntries(NAMES.map((name) => [name, shown(name)])) as Record<keyof Config, string>;
}

/** A setting as the process runs with it. */
export interface RunningSetting {
  /** `MILLRACE_DATA_DIR` */
  readonly name: string;
  /** As it would be written; empty when there is none, masked when it is a secret. */
  readonly value: string;
  /** Null when there is none. */
  readonly default: string | null;
  readonly help: string;
}

/** Every setting with its value, in the order of the documentation: what may be shown to people. */
export function settingsOf(config: Config): readonly RunningSetting[] {
  const values: Readonly<Record<string, string>> = describeConfig(config);
  return SETTINGS.filter(({ name }) => name in values).map(({ name, env, fallback, help }) => ({
    name: env,
    value: values[name] ?? '',
    default: fallback === '' ? null : fallback,
    help,
  }));
}

/**
 * Variables that begin like settings and have no effect, a line each for the log. Kubernetes makes some for a service
 * called `millrace`. One that is nearly a setting is not among them: that one is a ConfigError.
 */
export function strayVariables(env: ConfigSources['env']): string[] {
  return nearNames(env, VARIABLES)
    .filter(({ isSlip }) => !isSlip)
    .map(({ name, nearest }) => `${name} is no setting and has no effect (the nearest is ${nearest})`);
}

const SCHEDULE = ['retryBase', 'retryCap', 'retryWindow'] as const;

type Schedule = Pick<Config, (typeof SCHEDULE)[number]>;

type Given = ReadonlyMap<keyof Config, string>;

/** Whoever sets only the window to 3 s means short delays too: what was left out follows what was given. */
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
    // The window has no other default to take: it binds whether it was given or not. A derived value contradicts nobody.
    if (label === undefined || (bound === undefined && upper !== 'retryWindow')) return [];
    // A base above the window is said once, against the cap between them, where there is one.
    if (lower === 'retryBase' && upper === 'retryWindow' && given.has('retryCap')) return [];
    if (schedule[lower] <= schedule[upper]) return [];
    const [is, most] = [formatDuration(schedule[lower]), formatDuration(schedule[upper])];
    return [
      `${label} is ${is}, longer than ${bound ?? `the default of ${envOf(upper)}`} (${most}). Shorten the one or lengthen the other.`,
    ];
  });
}

/** Either URL alone is half of a cluster. */
function halfCluster(given: Given): string[] {
  const names = ['databaseUrl', 'natsUrl'] as const;
  const [missing, ...others] = names.filter((name) => !given.has(name));
  if (missing === undefined || others.length > 0) return [];
  const label = given.get(missing === 'natsUrl' ? 'databaseUrl' : 'natsUrl');
  return [
    `${label} is set and ${envOf(missing)} is not: a cluster needs both. Set ${envOf(missing)} too, or leave out both to run as one process.`,
  ];
}

/** A host without a port has no effect, and one port can't be bound twice. */
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
