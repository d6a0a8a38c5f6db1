/** Names of fields that hold secrets, in lower case and without dashes and underscores. */
const SECRET_NAMES: ReadonlySet<string> = new Set([
  'authorization',
  'proxyauthorization',
  'cookie',
  'setcookie',
  'xsignature',
  'sharedsecret',
  'secret',
  'writekey',
  'token',
  'admintoken',
  'password',
  'passwordhash',
  'csrftoken',
  'xcsrftoken',
  'databaseurl',
  'natsurl',
]);

/** Objects of these names hold values that people chose, credentials among them: only their keys are logged. */
const OPEN_NAMES: ReadonlySet<string> = new Set(['headers', 'rawheaders']);

const MASK = '[redacted]';
const DEPTH = 8;

/**
 * The same value without secrets, for a log: secret fields are masked at every depth; errors and requests become plain objects
 * without the parts that may hold secrets. Pure; answers the value itself where nothing is masked.
 */
export function redacted(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DEPTH) return '[deep]';
  if (value instanceof Error) return errorFields(value, depth);
  if (value instanceof Date) return value;
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.map((item) => redacted(item, depth + 1));
  if (value instanceof Map || value instanceof Set) return redacted([...value], depth + 1);
  if (isRequest(value)) return { method: value.method, url: maskUrl(value.url) };
  return objectFields(value, depth);
}

/** A URL without its query, which may hold keys and tokens, and without the write key in the path of the settings route. */
function maskUrl(url: string): string {
  const path = url.split('?', 1)[0] ?? '';
  return path.replace(/(\/v1\/projects\/|\/analytics\.js\/v1\/)[^/]+/, `$1${MASK}`);
}

function objectFields(value: object, depth: number): object {
  const fields: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) {
    const key = name.toLowerCase().replaceAll(/[-_]/g, '');
    if (SECRET_NAMES.has(key)) fields[name] = field === null || field === undefined || field === '' ? field : MASK;
    else if (OPEN_NAMES.has(key)) fields[name] = maskAll(field);
    else if (key === 'url' && typeof field === 'string') fields[name] = maskUrl(field);
    else fields[name] = redacted(field, depth + 1);
  }
  return fields;
}

function maskAll(headers: unknown): unknown {
  if (typeof headers !== 'object' || headers === null) return headers;
  if (Array.isArray(headers)) return MASK;
  return Object.fromEntries(Object.keys(headers).map((name) => [name, MASK]));
}

/** Errors of other packages may carry requests, answers and options: only the fields that every error has are kept. */
function errorFields(error: Error, depth: number): object {
  const code: unknown = 'code' in error ? error.code : undefined;
  return {
    type: error.name,
    ...(code === undefined ? {} : { code }),
    message: error.message,
    stack: error.stack,
    ...(error.cause === undefined ? {} : { cause: redacted(error.cause, depth + 1) }),
    ...(error instanceof AggregateError ? { errors: redacted(error.errors, depth + 1) } : {}),
  };
}

/** Node's and Fastify's requests are large, cyclic and full of headers. */
function isRequest(value: object): value is { method: string; url: string } {
  return 'method' in value && 'url' in value && 'headers' in value && typeof value.url === 'string';
}
