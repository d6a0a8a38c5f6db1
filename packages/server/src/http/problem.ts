import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { Fault, type FaultCode } from '../core/fault.ts';
import { STATUS_CODES } from './status-codes.ts';

/** One wrong field of an input. */
export interface FieldError {
  /** Where it is, as `settings.webhooks.0.url`; empty for the input as a whole. */
  readonly path: string;
  readonly message: string;
  /** Where the input is a text of lines: the line, from 1. */
  readonly line?: number;
}

/** Input that fits its schema and still won't do. Answered 400 `invalid_input` with the fields. */
export class InvalidInput extends Fault {
  readonly errors: readonly FieldError[];

  constructor(errors: readonly FieldError[], message = 'The input is not valid.') {
    super('invalid_input', message);
    this.errors = errors;
  }
}

/** A change that began with an older version of what it changes. Answered with what was changed since, newest first. */
export class ChangedMeanwhile extends Fault {
  readonly changes: readonly object[];

  constructor(message: string, changes: readonly object[]) {
    super('changed_meanwhile', message);
    this.changes = changes;
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
  readonly changes?: readonly object[];
}

/** What an error says to the outside. Only faults and refused input speak for themselves: the rest is `internal`. */
export function problemOf(error: unknown): Problem {
  if (error instanceof InvalidInput)
    return { ...problem(error.status, error.code, error.message), errors: error.errors };
  if (error instanceof ChangedMeanwhile)
    return { ...problem(error.status, error.code, error.message), changes: error.changes };
  if (error instanceof Fault) return problem(error.status, error.code, error.message);
  if (!isFrameworkError(error)) return problem(500, 'internal', 'Something went wrong on our side.');
  const status = error.statusCode ?? 400;
  return problem(status, FRAMEWORK_CODES[error.code] ?? 'invalid_input', status === 415 ? NOT_JSON : error.message);
}

/**
 * The error handler of every route that doesn't bring its own. Logs errors of the service itself. An async caller returns the
 * reply: while a hook still works on the answer, the framework takes undefined for an answer that was not sent.
 */
export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const answer = problemOf(error);
  // The route, not its address, which may name a person.
  const { url } = request.routeOptions;
  if (answer.code === 'internal') request.log.error({ err: error, url }, 'request failed');
  if (error instanceof Fault && error.retryAfter !== null) reply.header('retry-after', String(error.retryAfter));
  // Bytes, because the framework would add a charset to a text, which this media type doesn't have.
  return reply
    .code(answer.status)
    .header('content-type', 'application/problem+json')
    .send(Buffer.from(JSON.stringify(answer)));
}

function problem(status: number, code: FaultCode, detail: string): Problem {
  return { type: 'about:blank', title: STATUS_CODES[status] ?? 'Error', status, detail, code };
}

/** A refusal by the framework: its own 4xx errors. */
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
