import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Fault } from '../core/fault.ts';
import { MAX_LEVELS } from '../core/json.ts';
import type { RawBody } from '../http/raw-body.ts';
import { refuse } from './input.ts';

/** Values (elements, and fields of objects) that a body may have: 5,000 users of a regulation, with room. */
const MAX_VALUES = 6_000;

/**
 * Makes the routes of a scope bound a body before it is parsed: the parser itself takes long for many keys and for what lies deep, and
 * checks, answers and the audit log recurse into a body and look at each of its values. Only JSON is read: a page of another origin can
 * send text/plain without being asked, JSON it can't.
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
      // A client may name the type of every request, also of one that has no body.
      if (text === '') return done(null);
      // It answers by `done`; its type allows for a promise, as those of others may.
      void parse(request, text, done);
    });
  });
}

/** @throws Fault `too_large`, `unsupported_encoding`. */
function textOf({ headers, routeOptions }: FastifyRequest, body: RawBody): string {
  if (body === null) throw new Fault('too_large', `The body is larger than ${routeOptions.bodyLimit} bytes.`);
  const { 'content-encoding': encoding = 'identity' } = headers;
  if (encoding !== 'identity') throw new Fault('unsupported_encoding', 'Send the body as it is, not packed.');
  return body.toString('utf8');
}

/** Counts in the text, whether or not it is JSON: what is none is the parser's to refuse. @throws InvalidInput */
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

/** The place of the quote that ends what begins with the one at `from`. */
function endOfText(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}
