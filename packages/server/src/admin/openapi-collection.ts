import { COLLECTION_PATHS } from '../core/collection-path.ts';
import { CALL_TYPES, type CallType } from '../core/event.ts';

/**
 * The collection API in the OpenAPI document (contract 8). Written by hand: its routes read bodies of any Content-Type
 * themselves, so there is no schema to generate it from.
 */

const object = { type: 'object', additionalProperties: true };
const text = { type: 'string' };
const time = { type: 'string', description: 'ISO 8601; read leniently', examples: ['2026-11-20T09:30:00.000Z'] };

const common = {
  messageId: {
    type: 'string',
    maxLength: 100,
    description: 'Unique per source and user, or anonymous id; made when absent',
  },
  anonymousId: text,
  userId: text,
  timestamp: time,
  sentAt: time,
  context: object,
  integrations: { ...object, description: 'Destination names with true or false; `All` stands for the rest' },
  writeKey: { type: 'string', description: 'For clients that can not send an Authorization header' },
};

const own: Record<CallType, { properties: Record<string, object>; required: string[]; example: object }> = {
  identify: { properties: { traits: object }, required: [], example: { userId: 'u1', traits: { plan: 'pro' } } },
  track: {
    properties: { event: text, properties: object },
    required: ['event'],
    example: { userId: 'u1', event: 'Order Completed', properties: { total: 27.5 } },
  },
  page: {
    properties: { name: text, category: text, properties: object },
    required: [],
    example: { anonymousId: 'a1', name: 'Pricing', properties: { path: '/pricing' } },
  },
  screen: {
    properties: { name: text, category: text, properties: object },
    required: [],
    example: { userId: 'u1', name: 'Cart' },
  },
  group: {
    properties: { groupId: text, traits: object },
    required: ['groupId'],
    example: { userId: 'u1', groupId: 'acme', traits: { plan: 'team' } },
  },
  alias: {
    properties: { previousId: text },
    required: ['previousId', 'userId'],
    example: { previousId: 'a1', userId: 'u1' },
  },
};

const rejection = {
  type: 'object',
  required: ['index', 'code', 'message'],
  properties: { index: { type: 'integer' }, code: text, message: text },
};
const rejected = { type: 'array', items: rejection };
const success = { type: 'object', required: ['success'], properties: { success: { const: true }, rejected } };
const taken = {
  ...success,
  examples: [
    { success: true, rejected: [{ index: 3, code: 'event_required', message: 'A track call needs an event name' }] },
  ],
};

const refused = {
  type: 'object',
  required: ['success', 'code', 'message'],
  properties: { success: { const: false }, code: text, message: text },
  examples: [{ success: false, code: 'event_required', message: 'A track call needs an event name' }],
};

function answer(description: string, schema: object): object {
  return { description, content: { 'application/json': { schema } } };
}

const refusals = {
  400: answer('The request, or the one call in it, is wrong', refused),
  401: answer('The write key is missing or unknown', refused),
  403: answer('`source_disabled`, or `origin_not_allowed`: the source names the origins whose pages may send', refused),
  413: answer('The call or the batch is too large', refused),
  415: answer('The Content-Encoding is not supported', refused),
  429: answer('Too many calls; Retry-After says when to try again', refused),
  503: answer('Storage can not take more now; Retry-After says when to try again', refused),
};

const tags = ['Collection'];
const security = [{ writeKey: [] }];

function callPath(type: CallType, path: string): object {
  const { properties, required, example } = own[type];
  const schema = { type: 'object', required, properties: { ...common, ...properties }, examples: [example] };
  return {
    post: {
      operationId: `collect_${path}`,
      summary: path.length === 1 ? `Same as /v1/${type}` : `Take one ${type} call`,
      description: '200 means that it is durable. Any or no Content-Type; gzip is understood. At most 32,768 bytes.',
      tags,
      security,
      requestBody: { required: true, content: { 'application/json': { schema } } },
      responses: {
        200: answer('Accepted and durable; a server source is told in `rejected` that the user is suppressed', success),
        ...refusals,
      },
    },
  };
}

const BATCH_SUMMARIES: Readonly<Record<string, string>> = {
  batch: 'Take up to 2,500 calls',
  import: 'Take up to 2,500 calls of history: as /v1/batch, but no time is corrected',
};

function batchPath(path: string, more: object = {}): object {
  const call = { ...object, required: ['type'], properties: { type: { enum: [...CALL_TYPES] }, ...common } };
  const schema = {
    type: 'object',
    required: ['batch'],
    properties: {
      batch: { type: 'array', minItems: 1, maxItems: 2500, items: call },
      context: { ...object, description: "Merged under each call's own" },
      integrations: { ...object, description: "Merged under each call's own" },
      sentAt: time,
      writeKey: common.writeKey,
    },
    examples: [{ batch: [{ type: 'track', ...own.track.example }], sentAt: '2026-11-20T09:30:00.000Z' }],
  };
  return {
    post: {
      operationId: `collect_${path}`,
      summary: BATCH_SUMMARIES[path] ?? 'Same as /v1/batch',
      description: '200 means that every call not named in `rejected` is durable. At most 512,000 bytes.',
      tags,
      security,
      ...more,
      requestBody: { required: true, content: { 'application/json': { schema } } },
      responses: { 200: answer('Accepted and durable, but for the calls in `rejected`', taken), ...refusals },
    },
  };
}

function postPath(kind: CallType | 'batch' | 'import', path: string): object {
  return kind === 'batch' || kind === 'import' ? batchPath(path) : callPath(kind, path);
}

const get = (operation: object): object => ({ get: { tags, security: [], ...operation } });

const keyInPath = { name: 'writeKey', in: 'path', required: true, schema: text };
const keyInQuery = { name: 'writeKey', in: 'query', schema: text };

const pixel = get({
  operationId: 'collect_pixel',
  summary: 'Take one call from an image address',
  description:
    'Answers 200 and a 1×1 GIF; a call that is refused is counted and shown among the rejections. A URL that is too long is answered 431, a path that can’t be decoded 400.',
  parameters: [
    { name: 'type', in: 'path', required: true, schema: { enum: [...CALL_TYPES] } },
    {
      name: 'data',
      in: 'query',
      schema: text,
      description: 'The call as base64 of JSON; or give its fields as dotted names',
    },
    keyInQuery,
  ],
  responses: { 200: { description: 'The image', content: { 'image/gif': {} } } },
});

const settings = get({
  operationId: 'getClientSettings',
  summary: 'What browser libraries ask for at start',
  parameters: [keyInPath],
  responses: { 200: answer('The settings', object), 401: refusals[401] },
});

const sourceConfig = get({
  operationId: 'getSourceConfig',
  summary: 'What RudderStack browser libraries ask for at start',
  security,
  parameters: [keyInQuery],
  responses: { 200: answer('The settings', object), 401: refusals[401] },
});

const browserScript = get({
  operationId: 'getBrowserScript',
  summary: 'The client that a page loads',
  description: "Takes the place of Segment's library: `window.analytics`. The script is the same for every source.",
  parameters: [keyInPath],
  responses: {
    200: { description: 'The script', content: { 'text/javascript': {} } },
    404: answer('No source has this write key', refused),
  },
});

export const collectionPaths: Record<string, object> = {
  ...Object.fromEntries([...COLLECTION_PATHS].map(([path, kind]) => [path, postPath(kind, path.slice('/v1/'.length))])),
  '/beacon/v1/batch': batchPath('beacon', { parameters: [keyInQuery] }),
  '/v1/pixel/{type}': pixel,
  '/v1/projects/{writeKey}/settings': settings,
  '/sourceConfig': sourceConfig,
  '/analytics.js/v1/{writeKey}/analytics.min.js': browserScript,
};
