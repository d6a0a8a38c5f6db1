import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import fastify, { type FastifyInstance, LogController } from 'fastify';
import type { Logger } from 'pino';
import { closeInTime } from './close.ts';
import { answerUnknownPath, isApi, isDisguised, methodsByPath, sendForPath } from './not-found.ts';
import { sendProblem } from './problem.ts';
import { Bodies } from './raw-body.ts';
import { STATUS_CODES } from './status-codes.ts';

export interface ServerOptions {
  readonly logger: Logger;
  /** Addresses or networks of proxies whose `X-Forwarded-*` headers are trusted; false for none. */
  readonly trustProxy: boolean | string | string[];
  /** Maps the URL of a request to the URL that routes see. Default: unchanged. */
  readonly urlOf?: (url: string) => string;
  /** How long a close waits for running requests before it cuts them off, milliseconds. Default 10 s. */
  readonly closeTimeout?: number;
  /** How long a client may take to send a whole request, milliseconds. Default 30 s. The head has a third of that time. */
  readonly requestTimeout?: number;
  /** The most bytes of all request bodies in memory. Default 64 MB. */
  readonly bodies?: number;
}

/** The most unanswered requests per connection. One read of a connection can bring a thousand, which Node starts in one turn of the event loop. */
const MOST_UNANSWERED = 64;

/**
 * The HTTP server on which collect and admin put their routes.
 *
 * Routes with schemas bring their own compilers; those of the framework are not loaded. Errors that no route handles become
 * problem details. One reader reads every body and limits the memory of all bodies together (`raw-body.ts`); a scope without a
 * parser of its own gets the body as bytes.
 *
 * A client that sends its request too slowly gets 408 and is cut off; until then, a silent client costs only a socket. A
 * connection with more than 64 unanswered requests (pipelining) is cut off. `close()` stops accepting, lets running requests
 * finish, and ends within `closeTimeout`.
 */
export function createServer(options: ServerOptions): FastifyInstance {
  const urlOf = options.urlOf ?? String;
  const requestTimeout = options.requestTimeout ?? 30_000;
  const bodies = new Bodies(options.bodies ?? 64 * 1024 * 1024);
  const connections = new WeakMap<Socket, Connection>();
  const app = fastify({
    loggerInstance: options.logger,
    // One logger for all requests: a child logger for each would cost as much as reading a call.
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: options.trustProxy,
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    exposeHeadRoutes: false,
    rewriteUrl: ({ url }: IncomingMessage) => urlOf(url ?? '/'),
    // Paths contain ids of people and messages. Escaping can turn one character into nine.
    routerOptions: { maxParamLength: 8_192 },
    serverFactory(handle) {
      const times = {
        requestTimeout,
        keepAliveTimeout: 72_000,
        headersTimeout: Math.ceil(requestTimeout / 3),
        connectionsCheckingInterval: Math.ceil(Math.min(requestTimeout / 10, 5_000)),
      };
      return createHttpServer(times, (request, response) => {
        const { socket } = request;
        const connection = connections.get(socket) ?? { unanswered: 0, latest: response };
        if (connection.unanswered === MOST_UNANSWERED) socket.destroy();
        // After `destroy`, Node still starts the requests it has already read.
        if (socket.destroyed) return;
        connection.unanswered += 1;
        connection.latest = response;
        connections.set(socket, connection);
        response.once('close', () => {
          connection.unanswered -= 1;
          bodies.letGo(request);
        });
        handle(request, response);
      });
    },
    // A request that arrives on an open connection during a close is served, with `Connection: close`.
    return503OnClosing: false,
    clientErrorHandler: (error, socket) => refuseConnection(error, socket, isNext(connections.get(socket))),
    frameworkErrors(error, request, reply) {
      reply.header('x-content-type-options', 'nosniff');
      sendForPath(error, request, reply);
    },
  }) as unknown as FastifyInstance;
  app.decorate('bodies', bodies);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request, payload, done) => bodies.read(request, payload, done));
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-content-type-options', 'nosniff');
    // A proxy that blocks a path compares its unescaped form. Paths of the admin API are refused behind the sign-in.
    if (isDisguised(request) && !isApi(request.routeOptions.url)) reply.callNotFound();
    else done();
  });
  app.setErrorHandler(sendProblem);
  app.setNotFoundHandler(answerUnknownPath(methodsByPath(app)));
  closeInTime(app, options.closeTimeout ?? 10_000);
  return app;
}

function noCompiler(): never {
  throw new Error('A route has a schema, and no compiler was set for it: setValidatorCompiler, setSerializerCompiler');
}

interface Connection {
  unanswered: number;
  /** The response to the request whose head came last. */
  latest: ServerResponse;
}

/**
 * Whether the client takes what is sent now as the answer of the request that is still arriving. It does not where this request
 * has its answer already (before its body came), or an earlier one still waits for its own.
 */
function isNext(connection: Connection | undefined): boolean {
  if (!connection) return true;
  const { unanswered, latest } = connection;
  return latest.req.complete ? unanswered === 0 : unanswered === 1 && !latest.headersSent;
}

/**
 * Closes the connection of a request that is not valid HTTP, or did not arrive in time. `answers` says whether the request is
 * answered first.
 */
function refuseConnection(error: Error & { code?: string }, socket: Socket, answers: boolean): void {
  if (error.code === 'ECONNRESET' || !socket.writable || !answers) {
    socket.destroy();
    return;
  }
  const [status, message] = MALFORMED[error.code ?? ''] ?? [400, 'The request is not valid HTTP.'];
  const body = JSON.stringify({ success: false, code: 'invalid_input', message });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-type: application/json\r\n` +
      'x-content-type-options: nosniff\r\n' +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}

const MALFORMED: Readonly<Record<string, readonly [status: number, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time.'],
  HPE_HEADER_OVERFLOW: [431, 'The head of the request is too large.'],
};
