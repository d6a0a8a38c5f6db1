import { type QueryKey, queryOptions } from '@tanstack/react-query';
import type { AlertSettings, AlertSettingsChange, AlertTest } from '../../../server/src/admin/contract.ts';
import { call, get } from './client.ts';
import { change, type Edited } from './query.ts';

const ALERTS: QueryKey = ['alerts'];

/** As a thing that forms edit. */
export type AlertsThing = AlertSettings & { readonly id: string };

const asThing = (settings: AlertSettings): AlertsThing => ({ id: 'alerts', ...settings });

export const alertsApi = {
  one: (id = 'alerts') =>
    queryOptions({
      queryKey: [...ALERTS, id] as QueryKey,
      queryFn: async ({ signal }) => asThing(await get<AlertSettings>('/api/alerts', {}, signal)),
    }),
  /** `made` is told of secrets that the service made: they are answered once. */
  update: (made: (secrets: readonly string[]) => void) =>
    change(async ({ id: _, revision, ...body }: Edited<AlertSettingsChange>) => {
      const { standardSecrets = {}, ...saved } = await call<AlertSettings>('PATCH', '/api/alerts', { body, revision });
      made(Object.values(standardSecrets));
      return asThing(saved);
    }, ALERTS),
  test: () => change(() => call<AlertTest>('POST', '/api/alerts/test')),
};
