import { traitsApi } from '../../api/definitions.ts';
import { THINGS } from '../../shell/things.ts';

/** What the pages of computed traits and their editor share. */
export const TRAIT = {
  ...THINGS.trait,
  members: 'persons with a value',
  since: 'Has a value since',
  value: '4.2',
  title: 'What is computed',
  api: traitsApi,
} as const;
