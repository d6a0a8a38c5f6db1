import { audiencesApi } from '../../api/definitions.ts';
import { THINGS } from '../../shell/things.ts';

/** What the pages of audiences and their editor share. */
export const AUDIENCE = {
  ...THINGS.audience,
  members: 'members',
  since: 'Joined',
  value: 'true',
  title: 'Who is in',
  api: audiencesApi,
} as const;
