import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { Fault, type FaultCode } from '../core/fault.ts';
import { STATUS_CODES } from './status-codes.ts';

/** A wrong field of an input. */
export interface FieldError {
  /** Path of the field, for example `settings.webhooks.0.url`; empty for the whole input. */
  readonly path: string;
  readonly message: string;
  /** The line, from 1, if the input is a text with lines. */
  readonly line?: number;
}

/** Input that fits its schema but is still refused. Answered as 400 `invalid_input` with the fields. */
export class InvalidInput extends Fault {
  readonly errors: readonly FieldError[];

  constructor(errors: readonly FieldError[], message = 'The input is not valid.') {
    super('invalid_input', message);
    this.errors = errors;
  }
}

/** Problem details (RFC 9457) with a stable code and, for input, the wrong fields (contract 12). */
export interface Problem {
  readonly type: 'about:blank';
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: FaultCode;
  readonly errors?: readonly FieldError[];
}

/** The answer to an error. Only faults and refused input show their message; every other error is `internal`. */
export function problemOf(error: unknown): Problem {
  if (error instanceof InvalidInput)
    return { ...problem(error.status, error.code, error.message), errors: error.errors };
  if (error instanceof Fault) return problem(error.status, error.code, error.message);
  if (!isFrameworkError(error)) return problem(500, 'internal', 'Something went wrong on our side.');
  const status = error.statusCode ?? 400;
  return problem(status, FRAMEWORK_CODES[error.code] ?? 'invalid_input', status === 415 ? NOT_JSON : error.message);
}

/**
 * The error handler of every route that has none of its own. Logs errors of the service itself. An async caller must return the
 * reply: the framework takes undefined for a missing answer while a hook is still working on it. `more` are fields of a single code.
 */
export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply, more?: object): FastifyReply {
  const answer = { ...problemOf(error), ...more };
  // Logs the route, not the address: the address may contain a person's id.
  const { url } = request.routeOptions;
  if (answer.code === 'internal') request.log.error({ err: error, url }, 'request failed');
  if (error instanceof Fault && error.retryAfter !== null) reply.header('retry-after', String(error.retryAfter));
  // As bytes: to a text the framework would add a charset, which this media type does not have.
  return reply
    .code(answer.status)
    .header('content-type', 'application/problem+json')
    .send(Buffer.from(JSON.stringify(answer)));
}

function problem(status: number, code: FaultCode, detail: string): Problem {
  return { type: 'about:blank', title: STATUS_CODES[status] ?? 'Error', status, detail, code };
}

/** An error with which the framework refuses a request: its own 4xx errors. */
function isFrameworkError(error: unknown): error is FastifyError {
  if (!(error instanceof Error) || !('statusCode' in error)) return false;
  const { statusCode } = error;
  return statusCode === undefined || (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500);
}

const NOT_JSON = 'Send the body as JSON, with Content-Type: application/json.';

const FRAMEWORK_CODES: Readonly<Record<string, FaultCode>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: 'invalid_json',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'invalid_json',
};
