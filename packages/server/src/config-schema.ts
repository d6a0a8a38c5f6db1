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

/** What an admin token may be, in a setting and in a file. */
export const ADMIN_TOKEN: Kind<string> = text(
  '20 to 512 visible ASCII characters without spaces',
  /^[\x21-\x7e]{20,512}$/,
);

/** A setting: its allowed values, its default (`fallback`) and its purpose. */
export interface Row<T> {
  readonly kind: Kind<T>;
  readonly fallback: T;
  readonly help: string;
  readonly secret: boolean;
}

function setting<T>(kind: Kind<T>, fallback: NoInfer<T>, help: string, secret = false): Row<T> {
  return { kind, fallback, help, secret };
}

function secret<T>(kind: Kind<T>, fallback: NoInfer<T>, help: string): Row<T> {
  return setting(kind, fallback, help, true);
}

const PATH: Kind<string> = text('a path without control characters', /^[^\p{Cc}]{1,4096}$/u);
const HOST: Kind<string> = text('an IP address or a host name', /^[A-Za-z0-9_.:%-]{1,253}$/);

/**
 * The only definition of the settings. Types, parsing, the flags of `millrace start` and docs/configuration.md come from it.
 * Durations are milliseconds, sizes bytes; null means not set.
 */
export const SCHEMA = {
  host: setting(HOST, '127.0.0.1', 'Address to listen on. `0.0.0.0` or `::` listens on all of them.'),
  port: setting(
    integer(0, 65_535, 'port'),
    8080,
    'Port to listen on. 0 picks a free one; the line printed when the service is ready names it.',
  ),
  managementPort: setting(
    optional(integer(0, 65_535, 'port')),
    null,
    'Port of its own for `/metrics` and `/health`, which then answer there alone. Left out, they are on `MILLRACE_PORT`.',
  ),
  managementHost: setting(
    optional(HOST),
    null,
    'Address to listen on with `MILLRACE_MANAGEMENT_PORT`. Left out, it is `MILLRACE_HOST`.',
  ),
  dataDir: setting(
    PATH,
    './data',
    'Directory that holds everything the service keeps. `millrace start` makes it if it does not exist. One process at a time. A node of a cluster keeps nothing there.',
  ),
  backupDir: setting(
    optional(PATH),
    null,
    'Directory that `millrace backup` and `POST /api/backups` make backups in, each in a folder of its own; best on another disk. Without one, the service makes none. A node of a cluster makes none either.',
  ),
  adminToken: secret(
    optional(ADMIN_TOKEN),
    null,
    'Bearer token of the admin API. Without one, a token is made on the first start, printed once and kept in the data directory (mode 0600). In a cluster the database keeps its hash, so that every node takes the same token.',
  ),
  secretsKey: secret(
    keys,
    Object.freeze([]),
    'Encrypts shared secrets, the values of static headers and the addresses of alerts where they are kept (AES-256-GCM). The first key encrypts, the others only decrypt: `NEW,OLD` changes the key at the next start. Keep it apart from backups; without it the secrets are lost. In a cluster all nodes have the same.',
  ),
  allowPrivateUrls: setting(
    flag,
    false,
    'Lets webhooks go to loopback, private and other addresses that are not on the public internet. For development, and for networks where everyone who can create a destination may reach all of it.',
  ),
  deliveryTimeout: setting(
    duration('10ms', '10m'),
    5_000,
    'How long an endpoint may take to answer with its response headers, name lookup and connecting included.',
  ),
  stopTimeout: setting(
    duration('1s', '10m'),
    55_000,
    'How long a stop may take in all. Deliveries under way have half of it at most: what has no answer by then is sent again after the next start. What is not finished at the end is given up, and the process ends with 1 and says what it waited for. Give it a little less than what stops the process (`stop_grace_period`, `terminationGracePeriodSeconds`).',
  ),
  retryWindow: setting(
    duration('10ms', '30d'),
    14_400_000,
    'How long a message is retried, counted from its first attempt. The last attempt is at its end.',
  ),
  // Always retryBase ≤ retryCap ≤ retryWindow.
  retryBase: setting(
    duration('1ms', '30d'),
    5_000,
    'Delay before the first retry; it doubles with each one after that. At most the cap; where it is left out, it is lowered to a cap or a window that is shorter.',
  ),
  retryCap: setting(
    duration('1ms', '30d'),
    600_000,
    'Longest delay between two retries. At most the window; where it is left out, it follows a base that is longer or a window that is shorter.',
  ),
  retention: setting(
    duration('1s', '3650d'),
    604_800_000,
    'How long events and what became of them are kept. What still waits for delivery is kept longer, but not what is paused, and not in a cluster: that fails as `retention_ended`.',
  ),
  peopleRetention: setting(
    optional(duration('1d', '3650d')),
    null,
    'How long profiles keep what calls said: older events go, then persons without a user id, a group, or a newer event or trait. An audience or a trait that looks further back counts what is kept. Left out, profiles are kept without end.',
  ),
  compaction: setting(
    text('a time of day, UTC, written like 02:00 or 23:30', /^(?:[01]\d|2[0-3]):[0-5]\d$/),
    '02:00',
    'Time of day, UTC, at which the bytes of what deletion requests removed are taken out of all files, once for all requests of a day. Nothing reads them from the request on.',
  ),
  maxConcurrency: setting(
    integer(1, 1024),
    64,
    'Most requests under way to one webhook URL at a time; of a cluster, from each node. The service finds the right number below it.',
  ),
  trustProxy: setting(
    addresses,
    Object.freeze([]),
    'Proxies whose `X-Forwarded-For` tells the address a call came from. No other peer is believed.',
  ),
  personAnonymousIds: setting(
    integer(1, 10_000),
    100,
    'Most anonymous ids of one person. What would be beyond is not joined; its calls are delivered as ever.',
  ),
  personUserIds: setting(
    integer(1, 1_000),
    20,
    'Most user ids of one person. What would be beyond is not joined; its calls are delivered as ever.',
  ),
  noIds: setting(
    optional(text('values separated by commas, without control characters', /^[^\p{Cc}]{1,4096}$/u)),
    null,
    'Values that calls carry as an id and that belong to no person, beside `0`, `-1`, `null`, `undefined`, `none`, `nil`, `anonymous`, `guest`, `unknown` and all zeros. Letter case makes no difference.',
  ),
  smtpUrl: secret(
    optional(
      urls('a URL like smtp://user:password@host:587 or smtps://user:password@host', ['smtp:', 'smtps:'], 'one'),
    ),
    null,
    'Mail server that e-mail alerts go through, together with `MILLRACE_SMTP_FROM`. Without it, alerts go to webhooks and Slack only. A password goes to another machine by TLS only: `smtps://` has it from the start (port 465), `smtp://` asks for STARTTLS. For a server without, `?requireTLS=false` at the end lets the password go in clear.',
  ),
  smtpFrom: setting(
    optional(
      text(
        'an e-mail address, or a name and one: Millrace <alerts@example.com>',
        /^(?=.{3,320}$)(?:[^\p{Cc}<>]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u,
      ),
    ),
    null,
    'Sender of e-mail alerts.',
  ),
  logLevel: setting(
    oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    'info',
    'Least serious log lines that are written.',
  ),
  databaseUrl: secret(
    optional(urls('a URL like postgres://user:password@host:5432/database', ['postgres:', 'postgresql:'], 'one')),
    null,
    'PostgreSQL of a cluster, 13 or newer: the primary server, not through a pooler that shares sessions between transactions. Together with `MILLRACE_NATS_URL` it makes this process a node of a cluster.',
  ),
  natsUrl: secret(
    optional(
      urls('a URL like nats://user:password@host:4222, or several separated by commas', ['nats:', 'tls:'], 'several'),
    ),
    null,
    'NATS servers of a cluster, 2.9.3 or newer, with JetStream. Several addresses are tried in turn.',
  ),
  natsStreams: setting(
    integer(1, 16),
    1,
    'Streams that the sources of a cluster are spread over. More of them let more NATS servers lead one. It can’t be changed once there are events.',
  ),
  natsReplicas: setting(
    optional({
      ...integer(1, 5),
      limits: '1, 3 or 5',
      parse: (value) => [1, 3, 5].find((count) => String(count) === value),
    }),
    null,
    'Copies of each event, on as many NATS servers. Left out, there are 3 in a cluster of NATS servers, and 1 on a single server.',
  ),
  natsMaxBytes: setting(
    optional(size('64MiB')),
    null,
    'Most that one stream keeps. When it is full, calls are answered 503 until retention has made room. Left out, it is what the NATS servers have.',
  ),
  natsDuplicateWindow: setting(
    duration('30s', '1h'),
    120_000,
    'How long NATS recognises events that a node sends again because it heard no answer. NATS keeps an entry in memory for each message of that time.',
  ),
  nodeTimeout: setting(
    duration('2s', '10m'),
    30_000,
    'How long a node of a cluster may be silent until the others take over what it had under way and what it led. It must be the same on all nodes. A node that is merely slow for so long has its messages delivered twice.',
  ),
};
