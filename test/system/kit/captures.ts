import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { CallType } from '../../../packages/server/src/core/event.ts';
import type { Call } from './admin.ts';

/** One request of a real client library, as it was recorded, or as its source writes it. */
export interface Captured {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly rawHeaderNames: readonly string[];
  readonly bodyBytes: number;
  /** Text where the library writes its JSON otherwise than `JSON.stringify`. */
  readonly body: unknown;
}

/** The requests of one library, in one file of `test/fixtures/sdk-captures`. */
export interface Capture {
  readonly file: string;
  /** Its name in its registry. */
  readonly package: string;
  readonly version: string;
  readonly requests: readonly Captured[];
}

const FOLDER = new URL('../../fixtures/sdk-captures/', import.meta.url);

export const CAPTURES: readonly Capture[] = readdirSync(FOLDER).map((file) => {
  const capture = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Omit<Capture, 'file'>;
  return { ...capture, file };
});

const TYPES: Readonly<Record<string, CallType>> = {
  i: 'identify',
  t: 'track',
  p: 'page',
  s: 'screen',
  g: 'group',
  a: 'alias',
};

/** The calls of a request, each with the context and the `sentAt` that its batch has for all. */
export function callsOf({ url, body }: Captured): Call[] {
  const { batch, context, sentAt, ...call } = (typeof body === 'string' ? JSON.parse(body) : body) as Call;
  const last = url.split('/').at(-1) ?? '';
  if (!Array.isArray(batch)) return [{ ...call, context, sentAt, type: TYPES[last] ?? last }];
  return (batch as Call[]).map((each) => ({
    sentAt,
    ...each,
    context: { ...(context as Call), ...(each['context'] as Call) },
  }));
}

const RECORDED_KEY = 'wk_test';

/** Now, with as many digits of a second and in the time zone as the other. */
function nowLike(recorded: string): string {
  const [, digits = '', zone = 'Z'] = /(\.\d+)?(Z|[+-]\d\d:?\d\d)$/.exec(recorded) ?? [];
  const [, sign, hours, minutes] = /([+-])(\d\d):?(\d\d)/.exec(zone) ?? ['', '+', '0', '0'];
  const east = Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  const text = new Date(Date.now() + east).toISOString();
  return text.slice(0, 19) + text.slice(19, 23).padEnd(digits.length, '0').slice(0, digits.length) + zone;
}

/**
 * The bytes of the request as they went over the wire: names, order and all. Only the gzip stream and the chunks are made
 * anew, the write key is the source's, and it is sent now, by a clock that is right.
 */
export function wire({ method, url, headers, rawHeaderNames, bodyBytes, body }: Captured, writeKey: string): Buffer {
  const recorded = typeof body === 'string' ? body : JSON.stringify(body);
  if (Buffer.byteLength(recorded) !== bodyBytes) throw new Error(`the body has ${bodyBytes} bytes in the recording`);
  const basic = (key: string): string => Buffer.from(`${key}:`).toString('base64');
  const ours = (text: string): string =>
    text
      .replaceAll(RECORDED_KEY, writeKey)
      .replaceAll(basic(RECORDED_KEY), basic(writeKey))
      .replaceAll(/("sentAt": ?")([^"]+)/g, (_, before: string, sentAt: string) => before + nowLike(sentAt));
  const content = headers['content-encoding'] === 'gzip' ? gzipSync(ours(recorded)) : Buffer.from(ours(recorded));
  const chunks = [`${content.length.toString(16)}\r\n`, content, '\r\n0\r\n\r\n'].map((part) => Buffer.from(part));
  const bytes = headers['transfer-encoding'] === 'chunked' ? Buffer.concat(chunks) : content;
  const lines = rawHeaderNames.map((name) => {
    const value = headers[name.toLowerCase()] ?? '';
    return `${name}: ${name.toLowerCase() === 'content-length' ? bytes.length : ours(value)}`;
  });
  return Buffer.concat([Buffer.from(`${method} ${ours(url)} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`), bytes]);
}

/** Writes the requests one after the other to one connection; answers the heads and bodies that came back. */
export function exchange(service: string, requests: readonly Buffer[]): Promise<string[]> {
  const { hostname, port } = new URL(service);
  return new Promise((resolve, reject) => {
    const answers: string[] = [];
    let buffer = '';
    const socket = connect(Number(port), hostname, () => void socket.write(requests[0] ?? ''));
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`the connection was closed after ${answers.length} answers: ${buffer}`)));
    socket.on('data', (chunk: Buffer) => {
      buffer += chunk;
      const [head, ...rest] = buffer.split('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(head ?? '')?.[1] ?? 0);
      const body = rest.join('\r\n\r\n');
      if (rest.length === 0 || body.length < length) return;
      answers.push(buffer);
      buffer = '';
      const next = requests[answers.length];
      if (next !== undefined) {
        socket.write(next);
      } else {
        socket.removeAllListeners('close');
        socket.destroy();
        resolve(answers);
      }
    });
  });
}
