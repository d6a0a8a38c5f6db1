import Type from 'typebox';
import { FAULTS } from '../../core/fault.ts';
import type * as contract from '../contract.ts';
import { AuditEntry } from './account.ts';
import type { SchemaOf } from './shape.ts';
import { named, ref } from './shape.ts';

export const FieldError: SchemaOf<contract.FieldError> = named<contract.FieldError>()(
  'FieldError',
  Type.Object({
    path: Type.String({ description: 'Names joined by dots, list places as numbers; empty for the body as a whole' }),
    message: Type.String(),
    line: Type.Optional(Type.Integer({ minimum: 1, description: 'Where the input is a text of lines' })),
  }),
);

export const Problem: SchemaOf<contract.Problem> = named<contract.Problem>()(
  'Problem',
  Type.Object(
    {
      type: Type.String(),
      title: Type.String(),
      status: Type.Integer(),
      detail: Type.String(),
      code: Type.String({ description: `Stable. One of: ${Object.keys(FAULTS).join(', ')}` }),
      errors: Type.Optional(Type.Array(ref(FieldError), { description: 'For input: each wrong field' })),
      changes: Type.Optional(Type.Array(ref(AuditEntry), { description: 'For `changed_meanwhile`, newest first' })),
    },
    {
      description: 'Problem details, RFC 9457',
      examples: [
        {
          type: 'about:blank',
          title: 'Bad Request',
          status: 400,
          detail: 'settings.webhooks.0.url: must have required properties url',
          code: 'invalid_input',
          errors: [{ path: 'settings.webhooks.0.url', message: 'is required' }],
        },
      ],
    },
  ),
);
