import type { Audience, AudiencePreview, Why } from '../../../server/src/admin/contract.ts';
import { definitionsApi } from './definitions.ts';
import { watched, whole } from './query.ts';

export const audiencesApi = {
  ...definitionsApi<Audience, AudiencePreview>('audiences'),
  /** All of them, for their names. */
  names: () => whole<Audience>('/api/audiences'),
  /** Why a person is in or out; 404 for an id that no call has carried. */
  why: (id: string, person: string) => ({ ...watched<Why>(`/api/audiences/${id}/why`, { person }), retry: false }),
};
