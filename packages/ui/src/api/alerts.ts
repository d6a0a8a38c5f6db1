import { type QueryKey, queryOptions } from '@tanstack/react-query';
import type { AlertSettings, AlertSettingsChange, AlertTest } from '../../../server/src/admin/contract.ts';
import { call, get } from './client.ts';
import { change, type Edited, request } from './query.ts';

/** The alert settings in the form that `useEditForm` takes. */
export type AlertsThing = AlertSettings & { readonly id: string };

const asThing = (settings: AlertSettings): AlertsThing => ({ id: 'alerts', ...settings });

export const alertsApi = {
  one: (id = 'alerts') =>
    queryOptions({
      queryKey: ['alerts', id] as QueryKey,
      queryFn: async ({ signal }) => asThing(await get<AlertSettings>('/api/alerts', {}, signal)),
    }),
  /** `made` gets the secrets that the service generated. The service returns them only once. */
  update: (made: (secrets: readonly string[]) => void) =>
    change(async ({ id: _, revision, ...body }: Edited<AlertSettingsChange>) => {
      const { standardSecrets = {}, ...saved } = await call<AlertSettings>('PATCH', '/api/alerts', { body, revision });
      made(Object.values(standardSecrets));
      return asThing(saved);
    }),
  test: () => request(() => call<AlertTest>('POST', '/api/alerts/test')),
};
