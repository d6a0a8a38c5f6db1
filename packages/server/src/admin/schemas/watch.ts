import Type from 'typebox';
import { closed, list, text } from './shape.ts';

const path = text({ minLength: 1, maxLength: 2_000 });

export const watchQuery = closed({
  path: Type.Union([path, list(path, { minItems: 1, maxItems: 16 })], {
    description: 'What is watched: `/api/overview`; given up to 16 times',
  }),
});
