import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Config,
  ConfigError,
  describeConfig,
  parseConfig,
  SETTINGS,
  settingsOf,
  strayVariables,
} from './config.ts';
import { formatDuration } from './core/duration.ts';

const DEFAULTS: Config = {
  host: '127.0.0.1',
  port: 8080,
  managementPort: null,
  managementHost: null,
  dataDir: './data',
  backupDir: null,
  adminToken: null,
  secretsKey: [],
  allowPrivateUrls: false,
  deliveryTimeout: 5_000,
  stopTimeout: 55_000,
  retryWindow: 4 * 3_600_000,
  retryBase: 5_000,
  retryCap: 10 * 60_000,
  retention: 7 * 86_400_000,
  peopleRetention: null,
  compaction: '02:00',
  maxConcurrency: 64,
  trustProxy: [],
  personAnonymousIds: 100,
  personUserIds: 20,
  noIds: null,
  smtpUrl: null,
  smtpFrom: null,
  logLevel: 'info',
  databaseUrl: null,
  natsUrl: null,
  natsStreams: 1,
  natsReplicas: null,
  natsMaxBytes: null,
  natsDuplicateWindow: 120_000,
  nodeTimeout: 30_000,
};

test('nothing given is every default', () => {
  expect(parseConfig({ env: {} })).toEqual(DEFAULTS);
});

test('an empty value counts as left out', () => {
  const env = Object.fromEntries(SETTINGS.map((setting) => [setting.env, '']));
  const flags = Object.fromEntries(SETTINGS.map((setting) => [setting.name, '']));
  expect(parseConfig({ env, flags })).toEqual(DEFAULTS);
});

test('is frozen', () => {
  const config = parseConfig({ env: { MILLRACE_TRUST_PROXY: '::1' } });
  expect(Object.isFrozen(config)).toBe(true);
  expect(Object.isFrozen(config.trustProxy)).toBe(true);
  expect(Object.isFrozen(parseConfig({ env: {} }).trustProxy)).toBe(true);
});

test.each<[string, string, Partial<Config>]>([
  ['MILLRACE_HOST', '::', { host: '::' }],
  ['MILLRACE_HOST', 'localhost', { host: 'localhost' }],
  ['MILLRACE_PORT', '0', { port: 0 }],
  ['MILLRACE_PORT', '65535', { port: 65_535 }],
  ['MILLRACE_DATA_DIR', '/var/lib/mill race', { dataDir: '/var/lib/mill race' }],
  ['MILLRACE_ADMIN_TOKEN', 's3cret=and-long-enough=', { adminToken: 's3cret=and-long-enough=' }],
  ['MILLRACE_ALLOW_PRIVATE_URLS', 'true', { allowPrivateUrls: true }],
  ['MILLRACE_ALLOW_PRIVATE_URLS', '1', { allowPrivateUrls: true }],
  ['MILLRACE_ALLOW_PRIVATE_URLS', 'false', { allowPrivateUrls: false }],
  ['MILLRACE_DELIVERY_TIMEOUT', '250ms', { deliveryTimeout: 250 }],
  ['MILLRACE_RETENTION', '30d', { retention: 30 * 86_400_000 }],
  ['MILLRACE_PEOPLE_RETENTION', '400d', { peopleRetention: 400 * 86_400_000 }],
  ['MILLRACE_MAX_CONCURRENCY', '1024', { maxConcurrency: 1024 }],
  ['MILLRACE_TRUST_PROXY', '10.0.0.0/8, ::1', { trustProxy: ['10.0.0.0/8', '::1'] }],
  ['MILLRACE_LOG_LEVEL', 'silent', { logLevel: 'silent' }],
  ['MILLRACE_NATS_STREAMS', '16', { natsStreams: 16 }],
  ['MILLRACE_NATS_REPLICAS', '3', { natsReplicas: 3 }],
  ['MILLRACE_NATS_MAX_BYTES', '20GiB', { natsMaxBytes: 20 * 1024 ** 3 }],
  ['MILLRACE_NATS_DUPLICATE_WINDOW', '1m', { natsDuplicateWindow: 60_000 }],
])('%s=%s is taken', (name, value, expected) => {
  expect(parseConfig({ env: { [name]: value } })).toEqual({ ...DEFAULTS, ...expected });
});

test.each([
  ['MILLRACE_HOST', 'http://localhost'],
  ['MILLRACE_PORT', '65536'],
  ['MILLRACE_PORT', '-1'],
  ['MILLRACE_PORT', '80.5'],
  ['MILLRACE_PORT', '0x50'],
  ['MILLRACE_PORT', 'tcp://10.0.0.1:8080'],
  ['MILLRACE_DATA_DIR', 'a\0b'],
  ['MILLRACE_ALLOW_PRIVATE_URLS', 'yes please'],
  ['MILLRACE_ALLOW_PRIVATE_URLS', 'constructor'],
  ['MILLRACE_DELIVERY_TIMEOUT', '5000'],
  ['MILLRACE_DELIVERY_TIMEOUT', '0s'],
  ['MILLRACE_RETRY_WINDOW', '31d'],
  ['MILLRACE_RETRY_BASE', '5 s'],
  ['MILLRACE_RETRY_CAP', 'soon'],
  ['MILLRACE_RETENTION', '100ms'],
  ['MILLRACE_PEOPLE_RETENTION', '23h'],
  ['MILLRACE_MAX_CONCURRENCY', '0'],
  ['MILLRACE_MAX_CONCURRENCY', '1025'],
  ['MILLRACE_TRUST_PROXY', '10.0.0.0/33'],
  ['MILLRACE_TRUST_PROXY', '0.0.0.0/0'],
  ['MILLRACE_TRUST_PROXY', '::/0'],
  ['MILLRACE_SMTP_FROM', 'not an address'],
  ['MILLRACE_SMTP_FROM', 'a@b.example>'],
  ['MILLRACE_SMTP_FROM', '<a@b.example'],
  ['MILLRACE_TRUST_PROXY', '10.0.0.1,,::1'],
  ['MILLRACE_TRUST_PROXY', 'proxy.example'],
  ['MILLRACE_LOG_LEVEL', 'INFO'],
  ['MILLRACE_NATS_STREAMS', '17'],
  ['MILLRACE_NATS_REPLICAS', '2'],
  ['MILLRACE_NATS_MAX_BYTES', '20GB'],
  ['MILLRACE_NATS_MAX_BYTES', '1MiB'],
])('%s=%j is refused with its name, its value and what it must be', (name, value) => {
  const setting = SETTINGS.find(({ env }) => env === name);
  expect(problems({ [name]: value })).toEqual([
    expect.stringContaining(`${name} is ${JSON.stringify(value)}; it must be ${setting?.limits}`),
  ]);
});

test.each(['two words', 'tab\t', 'ünïcode', 'x'.repeat(513)])(
  'the admin token %j is refused and not shown',
  (token) => {
    const [problem = '', ...rest] = problems({ MILLRACE_ADMIN_TOKEN: token });
    expect(rest).toEqual([]);
    expect(problem).toContain('MILLRACE_ADMIN_TOKEN is ****; it must be 20 to 512 visible ASCII characters');
    expect(problem).not.toContain(token);
  },
);

test.each([
  { MILLRACE_SMTP_URL: 'smtp://localhost', MILLRACE_SMTP_FROM: 'no-address' },
  { MILLRACE_SMTP_URL: 'smtp://', MILLRACE_SMTP_FROM: 'Millrace <a@b.example>' },
  { MILLRACE_MANAGEMENT_PORT: 'x', MILLRACE_MANAGEMENT_HOST: '::1' },
  { MILLRACE_DATABASE_URL: 'postgres://', MILLRACE_NATS_URL: 'nats://localhost' },
])('one of two that go together is refused, and not missing: %j', (env) => {
  expect(problems(env)).toEqual([expect.stringContaining('; it must be ')]);
});

test('PostgreSQL may be reached by a socket, which has no host', () => {
  const env = { MILLRACE_DATABASE_URL: 'postgres:///millrace?host=/run/postgresql', MILLRACE_NATS_URL: 'nats://a' };
  expect(parseConfig({ env })).toMatchObject({ databaseUrl: env.MILLRACE_DATABASE_URL });
});

describe('a port of its own for metrics and health', () => {
  test('takes an address of its own', () => {
    const env = { MILLRACE_MANAGEMENT_PORT: '9090', MILLRACE_MANAGEMENT_HOST: '::1' };
    expect(parseConfig({ env })).toEqual({ ...DEFAULTS, managementPort: 9090, managementHost: '::1' });
  });

  test.each([
    [{ MILLRACE_MANAGEMENT_HOST: '::1' }, 'MILLRACE_MANAGEMENT_HOST is set and MILLRACE_MANAGEMENT_PORT is not'],
    [{ MILLRACE_MANAGEMENT_PORT: '8080' }, 'MILLRACE_MANAGEMENT_PORT is 8080, and so is the default of MILLRACE_PORT'],
    [{ MILLRACE_MANAGEMENT_PORT: '1', MILLRACE_PORT: '1' }, 'MILLRACE_MANAGEMENT_PORT is 1, and so is MILLRACE_PORT'],
  ])('is refused where it has no effect or is taken', (env, expected) => {
    expect(problems(env)).toEqual([expect.stringContaining(expected)]);
  });

  test('two free ports are two', () => {
    expect(parseConfig({ env: { MILLRACE_MANAGEMENT_PORT: '0', MILLRACE_PORT: '0' } }).managementPort).toBe(0);
  });
});

describe('keys of secrets', () => {
  const [one, other] = [Buffer.alloc(32, 1).toString('base64'), Buffer.alloc(32, 250).toString('base64url')];

  test('are one or several, in either alphabet of base64', () => {
    const { secretsKey } = parseConfig({ env: { MILLRACE_SECRETS_KEY: `${one}, ${other}` } });
    expect(secretsKey).toEqual([Buffer.alloc(32, 1), Buffer.alloc(32, 250)]);
  });

  test.each(['short', `${one},`, one.slice(2), `${one}AA`])('%j is refused and not shown', (value) => {
    expect(problems({ MILLRACE_SECRETS_KEY: value })).toEqual([
      expect.stringMatching(/^MILLRACE_SECRETS_KEY is \*{4}; it must be keys of 32 random bytes/),
    ]);
  });
});

describe('a cluster', () => {
  const MILLRACE_DATABASE_URL = 'postgres://user:hunter2-hunter2-hunter2@db/millrace';
  const MILLRACE_NATS_URL = 'nats://user:hunter2-hunter2-hunter2@n1:4222, tls://n2';

  test('is made by both URLs', () => {
    expect(parseConfig({ env: { MILLRACE_DATABASE_URL, MILLRACE_NATS_URL } })).toEqual({
      ...DEFAULTS,
      databaseUrl: MILLRACE_DATABASE_URL,
      natsUrl: MILLRACE_NATS_URL,
    });
  });

  test.each([
    [{ MILLRACE_DATABASE_URL }, 'MILLRACE_DATABASE_URL is set and MILLRACE_NATS_URL is not'],
    [{ MILLRACE_NATS_URL }, 'MILLRACE_NATS_URL is set and MILLRACE_DATABASE_URL is not'],
  ])('is not made by one alone', (env, expected) => {
    expect(problems(env)).toEqual([expect.stringContaining(expected)]);
  });

  test.each([
    [
      { MILLRACE_DATABASE_URL: 'mysql://user:hunter2-hunter2-hunter2@db/millrace', MILLRACE_NATS_URL },
      'MILLRACE_DATABASE_URL is ****',
    ],
    [
      { MILLRACE_DATABASE_URL, MILLRACE_NATS_URL: 'nats://hunter2-hunter2-hunter2@n1,n2:4222' },
      'MILLRACE_NATS_URL is ****',
    ],
  ])('is not made by a URL of something else, whose value is not shown', (env, expected) => {
    const [problem = '', ...rest] = problems(env);
    expect(rest).toEqual([]);
    expect(problem).toContain(expected);
    expect(problem).not.toContain('hunter2-hunter2-hunter2');
  });

  test('is shown without its passwords', () => {
    const config = parseConfig({ env: { MILLRACE_DATABASE_URL, MILLRACE_NATS_URL } });
    expect(JSON.stringify([describeConfig(config), settingsOf(config)])).not.toContain('hunter2-hunter2-hunter2');
  });
});

test('every problem is in the message, those between settings too', () => {
  const env = {
    MILLRACE_PORT: 'http',
    MILLRACE_LOG_LEVEL: 'loud',
    MILLRACE_RETRY_CAP: '2h',
    MILLRACE_RETRY_WINDOW: '1h',
    MILLRACE_RETENTON: '1d',
  };
  const error = refused({ env });
  expect(error.problems).toHaveLength(4);
  expect(error.message).toContain('4 settings are wrong');
  for (const problem of error.problems) expect(error.message).toContain(problem);
});

describe('flags', () => {
  test('go before the environment', () => {
    const env = { MILLRACE_PORT: '1', MILLRACE_HOST: '::1' };
    expect(parseConfig({ env, flags: { port: '2' } })).toMatchObject({ port: 2, host: '::1' });
  });

  test('may be what a command line parser makes of them', () => {
    const flags = { allowPrivateUrls: true, port: 9000, verbose: true, host: undefined };
    expect(parseConfig({ env: {}, flags })).toMatchObject({ allowPrivateUrls: true, port: 9000, host: '127.0.0.1' });
  });

  test('are named as they were written', () => {
    const { problems } = refused({ env: { MILLRACE_DATA_DIR: '/data' }, flags: { allowPrivateUrls: 'maybe' } });
    expect(problems).toEqual([expect.stringContaining('--allow-private-urls is "maybe"')]);
  });
});

describe('the retry schedule', () => {
  test.each<[Record<string, string>, Pick<Config, 'retryBase' | 'retryCap' | 'retryWindow'>]>([
    [{ WINDOW: '3s' }, { retryBase: 3_000, retryCap: 3_000, retryWindow: 3_000 }],
    [
      { WINDOW: '3s', BASE: '100ms' },
      { retryBase: 100, retryCap: 3_000, retryWindow: 3_000 },
    ],
    [{ WINDOW: '1m' }, { retryBase: 5_000, retryCap: 60_000, retryWindow: 60_000 }],
    [{ CAP: '1s' }, { retryBase: 1_000, retryCap: 1_000, retryWindow: 14_400_000 }],
    [{ BASE: '20m' }, { retryBase: 1_200_000, retryCap: 1_200_000, retryWindow: 14_400_000 }],
    [
      { BASE: '1s', CAP: '1s', WINDOW: '1s' },
      { retryBase: 1_000, retryCap: 1_000, retryWindow: 1_000 },
    ],
  ])('%j: what was left out follows', (given, expected) => {
    expect(parseConfig({ env: retry(given) })).toMatchObject(expected);
  });

  test.each<[Record<string, string>, string, string]>([
    [{ BASE: '2s', CAP: '1s' }, 'MILLRACE_RETRY_BASE is 2s', 'longer than MILLRACE_RETRY_CAP (1s)'],
    [{ CAP: '2s', WINDOW: '1s' }, 'MILLRACE_RETRY_CAP is 2s', 'longer than MILLRACE_RETRY_WINDOW (1s)'],
    [{ BASE: '2s', WINDOW: '1s' }, 'MILLRACE_RETRY_BASE is 2s', 'longer than MILLRACE_RETRY_WINDOW (1s)'],
    [{ CAP: '5h' }, 'MILLRACE_RETRY_CAP is 5h', 'longer than the default of MILLRACE_RETRY_WINDOW (4h)'],
    [{ BASE: '5h' }, 'MILLRACE_RETRY_BASE is 5h', 'longer than the default of MILLRACE_RETRY_WINDOW (4h)'],
  ])('%j contradicts itself', (given, what, than) => {
    const found = problems(retry(given));
    expect(found).toEqual([expect.stringContaining(what)]);
    expect(found).toEqual([expect.stringContaining(than)]);
  });

  test('a value that is refused contradicts no other', () => {
    expect(problems(retry({ CAP: '5h', WINDOW: 'long' }))).toHaveLength(1);
  });

  test('base ≤ cap ≤ window, or an error that names a setting that was given', () => {
    const ms = fc.option(fc.integer({ min: 10, max: 30 * 86_400_000 }), { nil: undefined });
    fc.assert(
      fc.property(fc.record({ BASE: ms, CAP: ms, WINDOW: ms }), (durations) => {
        const given = Object.entries(durations).flatMap(([key, value]) =>
          value ? [[key, formatDuration(value)]] : [],
        );
        const env = retry(Object.fromEntries(given));
        try {
          const { retryBase, retryCap, retryWindow } = parseConfig({ env });
          expect(retryBase).toBeLessThanOrEqual(retryCap);
          expect(retryCap).toBeLessThanOrEqual(retryWindow);
        } catch (error) {
          if (!(error instanceof ConfigError)) throw error;
          expect(Object.keys(env).some((name) => error.message.includes(`${name} is `))).toBe(true);
        }
      }),
    );
  });

  function retry(given: Record<string, string>): Record<string, string> {
    return Object.fromEntries(Object.entries(given).map(([key, value]) => [`MILLRACE_RETRY_${key}`, value]));
  }
});

describe('names that are no setting', () => {
  test.each([
    ['MILLRACE_RETENTON', 'MILLRACE_RETENTION'],
    ['MILLRACE_DATADIR', 'MILLRACE_DATA_DIR'],
    ['MILLRACE_ALLOW_PRIVATE_URL', 'MILLRACE_ALLOW_PRIVATE_URLS'],
    ['MILLRACE_PORTS', 'MILLRACE_PORT'],
  ])('%s is taken for a slip', (name, nearest) => {
    expect(problems({ [name]: '1' })).toEqual([`${name} is no setting. Did you mean ${nearest}?`]);
    expect(strayVariables({ [name]: '1' })).toEqual([]);
  });

  test('others have no effect and can be told', () => {
    const env = { MILLRACE_SERVICE_HOST: '10.0.0.1', MILLRACE_PORT_8080_TCP: 'tcp://10.0.0.1:8080', PATH: '/bin' };
    expect(parseConfig({ env })).toEqual(DEFAULTS);
    expect(strayVariables(env)).toEqual([
      expect.stringContaining('MILLRACE_SERVICE_HOST is no setting'),
      expect.stringContaining('MILLRACE_PORT_8080_TCP is no setting'),
    ]);
  });
});

describe('describeConfig', () => {
  test('writes every setting as it would be given, and masks the token', () => {
    const env = {
      MILLRACE_ADMIN_TOKEN: 'hunter2-hunter2-hunter2',
      MILLRACE_TRUST_PROXY: '10.0.0.0/8,::1',
      MILLRACE_RETRY_WINDOW: '90s',
    };
    const shown = describeConfig(parseConfig({ env }));
    expect(Object.keys(shown)).toEqual(Object.keys(DEFAULTS));
    expect(shown).toMatchObject({
      adminToken: '****',
      trustProxy: '10.0.0.0/8,::1',
      retryWindow: '90s',
      retention: '7d',
    });
    expect(describeConfig(DEFAULTS).adminToken).toBe('');
  });

  test('can be read back', () => {
    const { adminToken: _, ...shown } = describeConfig(DEFAULTS);
    expect(parseConfig({ env: {}, flags: shown })).toEqual(DEFAULTS);
  });
});

test('settingsOf tells each setting by its variable, with its default, secrets masked', () => {
  const settings = settingsOf(
    parseConfig({ env: { MILLRACE_ADMIN_TOKEN: 'hunter2-hunter2-hunter2', MILLRACE_RETENTION: '1d' } }),
  );
  expect(settings.map(({ name }) => name)).toHaveLength(Object.keys(DEFAULTS).length);
  expect(settings).toContainEqual(
    expect.objectContaining({ name: 'MILLRACE_ADMIN_TOKEN', value: '****', default: null }),
  );
  expect(settings).toContainEqual(expect.objectContaining({ name: 'MILLRACE_RETENTION', value: '1d', default: '7d' }));
});

test('the schema names each setting once, as variable and as flag', () => {
  expect(SETTINGS.find(({ name }) => name === 'allowPrivateUrls')).toMatchObject({
    env: 'MILLRACE_ALLOW_PRIVATE_URLS',
    flag: 'allow-private-urls',
    type: 'boolean',
    fallback: 'false',
    secret: false,
  });
  expect(new Set(SETTINGS.map(({ env }) => env)).size).toBe(SETTINGS.length);
  expect(SETTINGS.filter(({ secret }) => secret).map(({ name }) => name)).toEqual([
    'adminToken',
    'secretsKey',
    'smtpUrl',
    'databaseUrl',
    'natsUrl',
  ]);
});

function refused(sources: Parameters<typeof parseConfig>[0]): ConfigError {
  try {
    parseConfig(sources);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

function problems(env: Record<string, string>): readonly string[] {
  return refused({ env }).problems;
}
