import type { Audience, ComputedTrait } from '../../../server/src/admin/contract.ts';
import { audiencesApi } from '../api/audiences.ts';
import { traitsApi } from '../api/traits.ts';

export type Defined = Audience | ComputedTrait;

/** What audiences and computed traits do alike, each with its own words. */
export interface DefinitionKind {
  /** `audience` */
  readonly noun: string;
  /** `Audiences` */
  readonly plural: string;
  /** Whom its size counts: `members`. */
  readonly members: string;
  /** What their list says of when they came to be in it. */
  readonly since: string;
  /** What its calls carry under the key, as an example. */
  readonly value: string;
  readonly list: '/audiences' | '/traits';
  readonly api: Pick<typeof audiencesApi, 'members' | 'memberFile' | 'sizes' | 'connect' | 'sync' | 'remove'>;
}

export const AUDIENCE: DefinitionKind = {
  noun: 'audience',
  plural: 'Audiences',
  members: 'members',
  since: 'Joined',
  value: 'true',
  list: '/audiences',
  api: audiencesApi,
};

export const TRAIT: DefinitionKind = {
  noun: 'computed trait',
  plural: 'Computed traits',
  members: 'persons with a value',
  since: 'Has a value since',
  value: '4.2',
  list: '/traits',
  api: traitsApi,
};
