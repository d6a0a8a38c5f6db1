import { isUtf8 } from 'node:buffer';
import { gunzipSync } from 'node:zlib';
import { Fault } from '../core/fault.ts';
import { type BodyLimit, LIMITS } from './limits.ts';

/**
 * The text of a body as it was sent. `encoding`: the Content-Encoding header. A gzip body is also recognised by its first bytes,
 * because some clients and proxies lose the header.
 *
 * @throws Fault `unsupported_encoding`, `invalid_gzip`, `invalid_json` (empty, or not UTF-8) or the limit's code.
 */
export function readBody(raw: Uint8Array, encoding: string | undefined, limit: BodyLimit): string {
  const plain = isGzip(raw, encoding) ? gunzip(raw, limit) : raw;
  if (plain.length > limit.bytes) throw tooLarge(limit);
  if (plain.length === 0) throw new Fault('invalid_json', 'The body is empty.');
  if (!isUtf8(plain)) throw new Fault('invalid_json', 'The body is not valid UTF-8.');
  const text = Buffer.from(plain.buffer, plain.byteOffset, plain.length).toString('utf8');
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
}

/** Most bytes that a body has when it is read. A gzip body, known by these first bytes, has its size only after it is unpacked. */
export function mostBytes(raw: Uint8Array): number {
  return isGzip(raw, undefined) ? LIMITS.batchBytes : raw.length;
}

/** @throws Fault `invalid_json`, with the place of the error. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unreadable('invalid_json', 'The body is not valid JSON', error);
  }
}

export function tooLarge(limit: BodyLimit): Fault {
  const what = limit.code === 'call_too_large' ? 'The call' : 'The batch';
  return new Fault(limit.code, `${what} is larger than ${limit.bytes} bytes.`);
}

const BYTE_ORDER_MARK = 0xfeff;

function isGzip(raw: Uint8Array, encoding: string | undefined): boolean {
  if (raw[0] === 0x1f && raw[1] === 0x8b) return true;
  switch (encoding?.trim().toLowerCase()) {
    case undefined:
    case '':
    case 'identity':
      return false;
    case 'gzip':
    case 'x-gzip':
      return true;
    default:
      throw new Fault('unsupported_encoding', `Content-Encoding "${encoding}" is not supported: send gzip or none.`);
  }
}

/** Synchronous on purpose: the output is bounded, and handing so small a job to another thread would cost more. */
function gunzip(raw: Uint8Array, limit: BodyLimit): Uint8Array {
  try {
    return gunzipSync(raw, { maxOutputLength: limit.bytes });
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge(limit);
    throw unreadable('invalid_gzip', 'The body can not be decompressed', error);
  }
}

function unreadable(code: 'invalid_json' | 'invalid_gzip', what: string, cause: unknown): Fault {
  return new Fault(code, `${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
}
