import Type, { type Static } from 'typebox';
import { FAULTS } from '../../core/fault.ts';
import { AuditEntry } from './account.ts';
import { answer, list, optional, text } from './shape.ts';

export type FieldError = Static<typeof FieldError>;
export const FieldError = answer('FieldError', {
  path: text('Names joined by dots, list places as numbers (`settings.webhooks.0.url`); empty for the body as a whole'),
  message: text(),
  line: optional(Type.Integer({ minimum: 1, description: 'Where the input is a text of lines' })),
});

export type Problem = Static<typeof Problem>;
export const Problem = answer(
  'Problem',
  {
    type: text(),
    title: text(),
    status: Type.Integer(),
    detail: text(),
    code: text(`Stable. One of: ${Object.keys(FAULTS).join(', ')}`),
    errors: optional(list(FieldError, 'For input: each wrong field')),
    changes: optional(list(AuditEntry, 'For `changed_meanwhile`, newest first, as far as the audit log knows')),
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
);
