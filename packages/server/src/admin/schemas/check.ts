import Type from 'typebox';
import type * as contract from '../contract.ts';
import { TestedUrl } from './delivery.ts';
import { textOrNull } from './field.ts';
import type { SchemaOf } from './shape.ts';
import { named, nullable, refOrNull } from './shape.ts';

const closed = { additionalProperties: false };

/** Wide open: what is wrong with the URL or a header is the answer of a step, not a refusal of the question. */
export const NewUrlCheck: SchemaOf<contract.NewUrlCheck> = named<contract.NewUrlCheck>()(
  'NewUrlCheck',
  Type.Object(
    {
      url: Type.String({ description: 'Full URL, http or https' }),
      headers: Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'Static headers' })),
      sharedSecret: Type.Optional(
        nullable(Type.String({ maxLength: 1024, writeOnly: true, description: 'Signs the test message' })),
      ),
      connect: Type.Optional(
        Type.Boolean({ default: true, description: 'False only looks up the name: no connection, no message' }),
      ),
      send: Type.Optional(Type.Boolean({ default: true, description: 'Sends one real test message, once' })),
    },
    {
      ...closed,
      examples: [
        { url: 'https://crm.example.com/hook', headers: { 'X-Team': 'growth' }, sharedSecret: 'long and random' },
      ],
    },
  ),
);

const step: SchemaOf<contract.UrlCheckStep> = Type.Unsafe<contract.UrlCheckStep>(
  Type.Object({
    name: Type.Enum(['url', 'headers', 'address', 'connect', 'tls', 'message'], { type: 'string' }),
    ok: Type.Boolean(),
    ms: Type.Number({ minimum: 0, description: 'How long it took, milliseconds' }),
    message: Type.String({ description: 'What was found, or what is wrong and how to fix it' }),
    field: nullable(Type.String({ description: 'The field that is wrong: `url`, `headers.X-Team`' })),
  }),
);

export const UrlCheck: SchemaOf<contract.UrlCheck> = named<contract.UrlCheck>()(
  'UrlCheck',
  Type.Object({
    ok: Type.Boolean(),
    canBeSaved: Type.Boolean({ description: 'A destination may have it; a name that does not resolve may later' }),
    steps: Type.Array(step, { description: 'In their order; they end with the first that fails' }),
    result: refOrNull(TestedUrl),
  }),
);

/** Characters; longer than any message. */
const MAX_BODY = 131_072;

export const SignatureCheck: SchemaOf<contract.SignatureCheck> = named<contract.SignatureCheck>()(
  'SignatureCheck',
  Type.Object(
    {
      secret: Type.String({ minLength: 1, maxLength: 1024, writeOnly: true }),
      body: Type.String({ maxLength: MAX_BODY, description: 'The body as received, to the byte' }),
      signature: Type.String({ maxLength: 1024, description: 'The X-Signature header' }),
    },
    { ...closed, description: 'Nothing of it is kept or logged' },
  ),
);

export const SignatureVerdict: SchemaOf<contract.SignatureVerdict> = named<contract.SignatureVerdict>()(
  'SignatureVerdict',
  Type.Object({
    equal: Type.Boolean(),
    expected: Type.String({ description: 'What the header would have to be' }),
    hint: textOrNull,
  }),
);
