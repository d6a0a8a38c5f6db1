import { traitsApi } from '../../api/definitions.ts';

/** What the pages of computed traits and their editor share. */
export const TRAIT = {
  noun: 'computed trait',
  plural: 'Computed traits',
  members: 'persons with a value',
  since: 'Has a value since',
  value: '4.2',
  title: 'What is computed',
  list: '/traits',
  new: '/traits/new',
  one: '/traits/$id',
  edit: '/traits/$id/edit',
  api: traitsApi,
} as const;
