import {
  type Bindings,
  type ChildLoggerOptions,
  type DestinationStream,
  type LevelWithSilent,
  type Logger,
  pino,
  stdTimeFunctions,
} from 'pino';
import { redacted } from './redact.ts';

export type { Logger } from 'pino';

export interface LoggerOptions {
  readonly level: LevelWithSilent;
  readonly to: DestinationStream;
}

/**
 * The service's logger: one JSON line for each event of the service's life. Fields with names of secrets are masked at every
 * depth; requests are logged without headers, query and write keys; errors as type, code, message, stack and causes.
 */
export function createLogger({ level, to }: LoggerOptions): Logger {
  const options = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }), log: redactedFields },
    // By the time a serialiser runs, an error is a plain object already.
    serializers: { err: (error: unknown) => error },
  };
  const logger = pino(options, to);
  // The formatter above does not see the fields of a child logger. Children inherit this function from their parent.
  const child: (this: Logger, bindings: Bindings, options?: ChildLoggerOptions) => Logger = logger.child;
  const childRedacted: typeof child = function (this: Logger, bindings, childOptions) {
    return child.call(this, redactedFields(bindings), childOptions);
  };
  return Object.assign(logger, { child: childRedacted });
}

function redactedFields(fields: Record<string, unknown>): Record<string, unknown> {
  return redacted(fields) as Record<string, unknown>;
}
