import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { COLLECTION_PATHS } from '../core/collection-path.ts';
import { CALL_TYPES } from '../core/event.ts';
import { Fault, type FaultCode } from '../core/fault.ts';
import type { Source } from '../core/source.ts';
import { callerAddress } from '../http/caller-address.ts';
import { takeRawBodies } from '../http/raw-body.ts';
import { sendAccepted, sendRefused } from './answer.ts';
import { rudderSourceConfig, segmentSettings } from './browser-settings.ts';
import type { Collect } from './collector.ts';
import { allowAnyOrigin, answerPreflight } from './cors.ts';
import { LIMITS } from './limits.ts';
import { GIF, readPixel } from './pixel.ts';
import { basicUserName, type FindSource } from './write-key.ts';

export interface CollectRoutes {
  readonly collect: Collect;
  readonly findSource: FindSource;
  /** A request was refused before the collector has seen it. */
  readonly refused: (code: FaultCode) => void;
}

/** Adds the collection API to the server, in a scope of its own: `/v1/…` and `/sourceConfig` (contract 8.1). */
export async function collectRoutes(
  app: FastifyInstance,
  { collect, findSource, refused }: CollectRoutes,
): Promise<void> {
  await app.register(async (scope) => {
    takeRawBodies(scope, refused);
    allowAnyOrigin(scope);
    scope.setErrorHandler(sendRefused);

    const post = (path: string, kind: string, keyOf = keyInHead): void => {
      scope.options(path, answerPreflight);
      scope.post(path, { bodyLimit: LIMITS.batchBytes + LIMITS.packingBytes }, async (request, reply) => {
        const release = scope.bodies.take(request);
        try {
          const answer = await collect({
            kind,
            body: bodyOf(request),
            encoding: request.raw.headers['content-encoding'],
            writeKey: keyOf(request),
            ip: callerAddress(request),
            origin: request.raw.headers.origin,
            userAgent: request.raw.headers['user-agent'],
          });
          request.log.debug(answer, 'collected');
          return sendAccepted(reply, answer);
        } finally {
          release();
        }
      });
    };
    for (const [path, kind] of COLLECTION_PATHS) post(path, kind);
    // A page that ends sends no headers of its own.
    post('/beacon/v1/batch', 'batch', (request) => {
      const key = keyInQuery(request);
      return typeof key === 'string' ? key : null;
    });

    scope.get('/v1/pixel/:type', async (request, reply) => {
      try {
        request.log.debug(await collectPixel(collect, request), 'collected');
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        request.log.debug({ url: request.url, code: error.code }, 'refused');
      }
      return reply.header('content-type', 'image/gif').header('cache-control', 'no-store').send(GIF);
    });

    const settings = (path: string, keyOf: (request: FastifyRequest) => unknown, answer: SettingsAnswer): void => {
      scope.options(path, answerPreflight);
      scope.get(path, async (request, reply: FastifyReply) => {
        const writeKey = String(keyOf(request) ?? '');
        const source = await findSource(writeKey);
        if (!source) throw new Fault('unknown_write_key', 'No source has this write key.');
        // A key that was replaced, and is still taken, does not tell the new one.
        return reply.header('cache-control', 'no-cache').send(answer({ ...source, writeKey }, request));
      });
    };
    settings('/v1/projects/:writeKey/settings', keyInPath, (source, request) =>
      segmentSettings(source, protocolOf(request), request.host),
    );
    settings('/sourceConfig', keyInQuery, rudderSourceConfig);
  });
}

type SettingsAnswer = (source: Source, request: FastifyRequest) => object;

function bodyOf(request: FastifyRequest): Uint8Array | null {
  const { body } = request;
  if (body === undefined) return EMPTY;
  return body instanceof Uint8Array ? body : null;
}

function collectPixel(collect: Collect, request: FastifyRequest): ReturnType<Collect> {
  const url = request.raw.url ?? '';
  const search = url.indexOf('?');
  const pixel = readPixel(search === -1 ? '' : url.slice(search + 1));
  const asked = (request.params as { readonly type: string }).type;
  const type = CALL_TYPES.find((name) => name === asked || name.charAt(0) === asked);
  return collect({
    kind: type ?? 'unknown',
    body: pixel.body,
    encoding: undefined,
    writeKey: pixel.writeKey ?? keyInHead(request),
    ip: callerAddress(request),
    origin: request.raw.headers.origin,
    userAgent: request.raw.headers['user-agent'],
  });
}

/**
 * What a library is to speak with this host; undefined where a proxy may speak TLS that is not believed: libraries take https then, and so
 * does the page that speaks it itself.
 */
function protocolOf({ protocol, raw: { headers } }: FastifyRequest): string | undefined {
  const told = headers['x-forwarded-proto'];
  const isUnknown = (told !== undefined && told !== protocol) || headers.origin?.startsWith('https:') === true;
  return isUnknown && protocol !== 'https' ? undefined : protocol;
}

function keyInHead(request: FastifyRequest): string | null {
  return basicUserName(request.raw.headers.authorization);
}

function keyInPath(request: FastifyRequest): unknown {
  return (request.params as { readonly writeKey?: unknown }).writeKey;
}

function keyInQuery(request: FastifyRequest): unknown {
  return (request.query as { readonly writeKey?: unknown }).writeKey ?? keyInHead(request);
}

const EMPTY = new Uint8Array(0);
