/** Most static headers one URL can have, and most bytes of them all as they are sent. */
export const MAX_HEADERS = 50;
export const MAX_HEADER_BYTES = 8192;

/**
 * Names that a static header can't have: those that Millrace itself sends (contract 7), and those that belong to the connection
 * and would break it (RFC 9110, section 7.6.1).
 */
export const FORBIDDEN_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'content-type',
  'user-agent',
  'x-signature',
  'x-signature-previous',
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
]);

/** Whether a static header can't have this name. */
export function isForbidden(name: string): boolean {
  const lower = name.toLowerCase();
  return FORBIDDEN_HEADERS.has(lower) || lower.startsWith('x-millrace-');
}

export interface HeaderProblem {
  /** The header's name; empty where all headers together are wrong. */
  readonly path: string;
  readonly message: string;
}

/** Everything wrong with the static headers of a URL; empty when they can be saved (contract 7). */
export function checkHeaders(headers: Readonly<Record<string, string>>): readonly HeaderProblem[] {
  const entries = Object.entries(headers);
  const problems: HeaderProblem[] = [];
  const seen = new Set<string>();
  for (const [name, value] of entries) {
    const message = nameProblem(name, seen) ?? valueProblem(value);
    if (message !== null) problems.push({ path: name, message });
    seen.add(name.toLowerCase());
  }
  if (entries.length > MAX_HEADERS) {
    problems.push({ path: '', message: `At most ${MAX_HEADERS} headers can be set; these are ${entries.length}.` });
  }
  const bytes = entries.reduce((sum, [name, value]) => sum + name.length + value.length + ': \r\n'.length, 0);
  if (bytes > MAX_HEADER_BYTES) {
    problems.push({ path: '', message: `The headers take ${bytes} bytes; at most ${MAX_HEADER_BYTES} can be sent.` });
  }
  return problems;
}

/** RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** RFC 9110, section 5.5: visible characters, spaces and tabs, and the upper half of Latin-1. */
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

function nameProblem(name: string, seen: ReadonlySet<string>): string | null {
  if (name === '') return 'A header needs a name.';
  if (!TOKEN.test(name)) return "A header name is made of letters, digits and any of !#$%&'*+-.^_`|~.";
  if (isForbidden(name)) return `${name} is set by Millrace or by the connection itself.`;
  if (seen.has(name.toLowerCase())) return `${name} is given twice; letter case makes no difference in a header name.`;
  return null;
}

function valueProblem(value: string): string | null {
  if (!FIELD_VALUE.test(value)) {
    return 'A header value is made of printable ASCII or Latin-1 characters; line breaks and NUL are not among them.';
  }
  if (value !== value.trim()) return 'A header value neither begins nor ends with a space.';
  return null;
}
