import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import fastify, { type FastifyInstance, type FastifyRequest, LogController } from 'fastify';
import type { Logger } from 'pino';
import { closeInTime } from './close.ts';
import { answerUnknownPath, methodsByPath } from './not-found.ts';
import { sendProblem } from './problem.ts';
import { Bodies } from './raw-body.ts';
import { STATUS_CODES } from './status-codes.ts';

export interface ServerOptions {
  readonly logger: Logger;
  /** Addresses or networks of proxies whose `X-Forwarded-*` headers are believed; false believes none. */
  readonly trustProxy: boolean | string | string[];
  /** The URL of a request as the routes know it; default: as it came. */
  readonly urlOf?: (url: string) => string;
  /** How long a close may wait for requests under way before it cuts them off, in milliseconds. Default 10 s. */
  readonly closeTimeout?: number;
  /** How long a client may take to send a whole request, in milliseconds. Default 30 s; its head has a third of that. */
  readonly requestTimeout?: number;
  /** Bytes of bodies in memory, of all requests together. Default 64 MB. */
  readonly bodies?: number;
}

/** One read of a connection can bring a thousand requests, which Node hands over in one turn of the event loop. */
const MOST_UNANSWERED = 64;

/**
 * The HTTP server that collect and admin put their routes on.
 *
 * Routes that have schemas bring the compilers for them: the framework's are not even loaded. Errors that no route handles
 * become problem details. Every body is read by one reader, which bounds those of all requests together (`raw-body.ts`); a scope that
 * sets no parser of its own has it as bytes. A client that is slow to send its request is answered 408 and cut off; one that sends nothing costs a socket
 * until then; one that has more than 64 requests of a connection unanswered (pipelining) is cut off. `close()` stops accepting, lets requests under way finish, and is over within `closeTimeout`.
 */
export function createServer(options: ServerOptions): FastifyInstance {
  const urlOf = options.urlOf ?? String;
  const requestTimeout = options.requestTimeout ?? 30_000;
  const bodies = new Bodies(options.bodies ?? 64 * 1024 * 1024);
  const app = fastify({
    loggerInstance: options.logger,
    // One logger for all requests: a child for each would cost as much as reading a call.
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: options.trustProxy,
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    exposeHeadRoutes: false,
    rewriteUrl: ({ url }: IncomingMessage) => urlOf(url ?? '/'),
    // Ids of people and messages stand in paths, each character as up to nine.
    routerOptions: { maxParamLength: 8_192 },
    serverFactory(handle) {
      const times = {
        requestTimeout,
        keepAliveTimeout: 72_000,
        headersTimeout: Math.ceil(requestTimeout / 3),
        connectionsCheckingInterval: Math.ceil(Math.min(requestTimeout / 10, 5_000)),
      };
      const unanswered = new WeakMap<Socket, number>();
      return createHttpServer(times, (request, response) => {
        const { socket } = request;
        const waiting = unanswered.get(socket) ?? 0;
        if (waiting === MOST_UNANSWERED) socket.destroy();
        // Node goes on with what else it has read.
        if (socket.destroyed) return;
        unanswered.set(socket, waiting + 1);
        response.once('close', () => {
          unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1);
          bodies.letGo(request);
        });
        handle(request, response);
      });
    },
    // A request that arrives on an open connection during a close is served, and told that the connection ends.
    return503OnClosing: false,
    clientErrorHandler: refuseConnection,
    frameworkErrors(error, request, reply) {
      reply.header('x-content-type-options', 'nosniff');
      sendProblem(error, request, reply);
    },
  }) as unknown as FastifyInstance;
  app.decorate('bodies', bodies);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request, payload, done) => bodies.read(request, payload, done));
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-content-type-options', 'nosniff');
    // A proxy that keeps a path inside compares it as it is written.
    if (isDisguised(request)) reply.callNotFound();
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

/** Whether a part of a path that a route names is written another way: `/%6detrics`. */
function isDisguised(request: FastifyRequest): boolean {
  const { url } = request;
  if (!url.includes('%')) return false;
  const { routeOptions } = request;
  // Pages of the interface are one file under every path.
  if (routeOptions.config?.page) return false;
  const asked = (url.split('?', 1)[0] ?? '').split('/');
  const named = (routeOptions.url ?? '').split('/');
  return named.some((part, i) => !part.startsWith(':') && part !== '*' && part !== asked[i]);
}

/** Answers what could not be read as HTTP, or did not come in time, and hangs up. */
function refuseConnection(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
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
