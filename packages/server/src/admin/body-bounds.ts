import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Fault } from '../core/fault.ts';
import { MAX_LEVELS } from '../core/json.ts';
import type { RawBody } from '../http/raw-body.ts';
import { invalidInput, refuse } from './input.ts';

/** The most values in a body (elements, and fields of objects): 5,000 users of a regulation, and some more. */
const MAX_VALUES = 6_000;

/**
 * Makes the routes of a scope check the size of a body before it is parsed. The parser is slow for many keys and for deep
 * nesting; checks, answers and the audit log recurse into the body. Only JSON is accepted: a browser lets a page of another
 * origin send text/plain without asking the server, but not JSON.
 */
export function boundBodies(scope: FastifyInstance): void {
  const parse = scope.getDefaultJsonParser('error', 'error');
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('application/json', (request, payload, done) => {
    scope.bodies.read(request, payload, (failed, body) => {
      if (failed) return done(failed);
      let text: string;
      try {
        text = textOf(request, body);
        boundText(text);
      } catch (error) {
        return done(error as Error);
      }
      // A client may send a Content-Type with a request that has no body.
      if (text === '') return done(null);
      // The parser answers through `done`. Its type also allows a promise.
      void parse(request, text, (error, parsed) => done(error && isJson(text) ? withPrototype() : error, parsed));
    });
  });
}

/** The parser refuses these keys, which a call may have: code that copies a body key by key could change prototypes. */
function withPrototype(): Error {
  const message = 'has a key that is taken in calls only: "__proto__", or "constructor" with "prototype" in it';
  return invalidInput([{ path: '', message }]);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The text of a body. @throws Fault `too_large`, `unsupported_encoding`, `invalid_json` (not UTF-8). */
function textOf({ headers, routeOptions }: FastifyRequest, body: RawBody): string {
  if (body === null) throw new Fault('too_large', `The body is larger than ${routeOptions.bodyLimit} bytes.`);
  const { 'content-encoding': encoding = 'identity' } = headers;
  if (encoding !== 'identity') throw new Fault('unsupported_encoding', 'Send the body as it is, not packed.');
  if (!isUtf8(body)) throw new Fault('invalid_json', 'The body is not valid UTF-8.');
  return body.toString('utf8');
}

/** Counts values and levels in the text. Text that is not JSON passes: the parser refuses it. @throws InvalidInput */
export function boundText(text: string): void {
  let levels = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfText(text, at);
        break;
      case BRACKET:
      case BRACE:
        levels += 1;
        values += 1;
        if (levels > MAX_LEVELS) refuse('', `has more than ${MAX_LEVELS} levels of objects and arrays`);
        break;
      case CLOSING_BRACKET:
      case CLOSING_BRACE:
        levels -= 1;
        break;
      case COMMA:
        values += 1;
        break;
      default:
    }
    if (values > MAX_VALUES) refuse('', `has more than ${MAX_VALUES} values`);
  }
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [BRACKET, CLOSING_BRACKET, BRACE, CLOSING_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The index of the quote that ends the string which begins at `from`. */
function endOfText(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}
