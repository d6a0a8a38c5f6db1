import { audiencesApi } from '../../api/definitions.ts';

/** What the pages of audiences and their editor share. */
export const AUDIENCE = {
  noun: 'audience',
  plural: 'Audiences',
  members: 'members',
  since: 'Joined',
  value: 'true',
  title: 'Who is in',
  list: '/audiences',
  new: '/audiences/new',
  one: '/audiences/$id',
  edit: '/audiences/$id/edit',
  api: audiencesApi,
} as const;
