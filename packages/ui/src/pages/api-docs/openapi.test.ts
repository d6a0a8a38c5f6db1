import { expect, test } from 'vitest';
import { type OpenApiDocument, search, tagsOf } from './openapi.ts';
import { addressOf, curlOf, missingOf } from './request.ts';
import { exampleOf, limitsInWords, resolve, typeInWords } from './schemas.ts';

const document: OpenApiDocument = {
  info: { version: '1', description: 'For tests' },
  components: { schemas: {}, securitySchemes: {} },
  tags: [{ name: 'Things', description: 'What there is' }, { name: 'Empty' }],
  security: [{ token: [] }, { session: [] }],
  paths: {
    '/api/things/{id}': {
      get: {
        operationId: 'getThing',
        summary: 'Get a thing',
        responses: {},
        tags: ['Things'],
        parameters: [
          { name: 'id', in: 'path', required: true },
          { name: 'limit', in: 'query' },
        ],
      },
      patch: {
        operationId: 'updateThing',
        summary: 'Change a thing',
        responses: {},
        tags: ['Things'],
        parameters: [{ name: 'id', in: 'path', required: true }],
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Node' } } } },
      },
    },
    '/v1/track': {
      post: {
        operationId: 'collect_track',
        summary: 'Take a track call',
        responses: {},
        tags: ['Collection'],
        security: [{ writeKey: [] }],
        requestBody: { content: { 'application/json': { schema: { type: 'object' } } } },
      },
    },
  },
};

const schemas = {
  Node: {
    type: 'object',
    properties: {
      name: { type: 'string' },
      next: { anyOf: [{ $ref: '#/components/schemas/Node' }, { type: 'null' }] },
    },
  },
  Loop: { $ref: '#/components/schemas/Loop' },
};

const operations = tagsOf(document).flatMap((tag) => tag.operations);
const byId = (id: string) => {
  const found = operations.find((one) => one.id === id);
  if (!found) throw new Error(`no operation ${id}`);
  return found;
};

test('operations by tag: named ones first, then the others; empty tags are left out', () => {
  expect(tagsOf(document).map(({ name, operations: { length } }) => [name, length])).toEqual([
    ['Things', 2],
    ['Collection', 1],
  ]);
  expect(byId('getThing').security).toEqual(['token', 'session']);
  expect(byId('collect_track').security).toEqual(['writeKey']);
});

test('a search finds words in any order and case', () => {
  expect(search(tagsOf(document), 'thing GET').flatMap((tag) => tag.operations.map(({ id }) => id))).toEqual([
    'getThing',
  ]);
  expect(search(tagsOf(document), 'nowhere')).toEqual([]);
});

test('an address is filled in and escaped', () => {
  const draft = { values: { 'path.id': 'a/b', 'query.limit': '5' }, body: '' };
  expect(addressOf(byId('getThing'), draft)).toBe('/api/things/a%2Fb?limit=5');
  expect(addressOf(byId('getThing'), { values: {}, body: '' })).toBe('/api/things/{id}');
  expect(missingOf(byId('getThing'), { values: {}, body: '' })).toEqual(['id']);
  expect(missingOf(byId('getThing'), draft)).toEqual([]);
});

test('a command names secrets and survives quotes', () => {
  expect(curlOf(byId('collect_track'), { values: {}, body: `{ "event": "it's" }` }, 'http://h')).toBe(
    `curl 'http://h/v1/track' \\\n  -u "$WRITE_KEY:" \\\n  -H 'Content-Type: application/json' \\\n  -d '{"event":"it'\\''s"}'`,
  );
  expect(curlOf(byId('updateThing'), { values: { 'path.id': 'x' }, body: '{}' }, 'http://h')).toMatch(
    /^curl -X PATCH 'http:\/\/h\/api\/things\/x' \\\n {2}-H "Authorization: Bearer \$MILLRACE_ADMIN_TOKEN"/,
  );
});

test('references are followed, and one that leads to itself ends', () => {
  expect(resolve({ $ref: '#/components/schemas/Node' }, schemas)).toEqual({ schema: schemas.Node, name: 'Node' });
  expect(resolve({ $ref: '#/components/schemas/Loop' }, schemas).schema).toEqual({});
  expect(resolve({ $ref: '#/components/schemas/Gone' }, schemas).schema).toEqual({});
  expect(JSON.stringify(exampleOf({ $ref: '#/components/schemas/Node' }, schemas)).length).toBeLessThan(500);
});

test('types and limits in words', () => {
  expect(typeInWords({ anyOf: [{ $ref: '#/components/schemas/Node' }, { type: 'null' }] }, schemas)).toBe(
    'Node or null',
  );
  expect(typeInWords({ type: 'array', items: { enum: ['a', 'b'] } }, schemas)).toBe('array of "a" or "b"');
  expect(typeInWords({ type: ['string', 'null'] }, schemas)).toBe('string or null');
  expect(limitsInWords({ minLength: 1, maxLength: 200, default: 'x' })).toEqual(['1–200 characters', 'default "x"']);
});
