import { queryOptions } from '@tanstack/react-query';
import type {
  AppliedSettings,
  NewSettings,
  Page,
  ProcessSetting,
  SettingsFile,
  SettingsPlan,
} from '../../../server/src/admin/contract.ts';
import { call, get } from './client.ts';
import { change } from './query.ts';

const PATH = '/api/settings-file';

export const settingsFileApi = {
  /** The whole set-up, as YAML. */
  current: () =>
    queryOptions({ queryKey: ['settings-file'], queryFn: ({ signal }) => get<SettingsFile>(PATH, {}, signal) }),
  /** What applying a file would change; does nothing. */
  plan: () => change((body: NewSettings) => call<SettingsPlan>('POST', `${PATH}/plan`, { body })),
  apply: () =>
    change(
      ({ revision, ...body }: NewSettings & Pick<SettingsPlan, 'revision'>) =>
        call<AppliedSettings>('POST', `${PATH}/apply`, { body, revision }),
      ['settings-file'],
      ['sources'],
      ['destinations'],
      ['alerts'],
      ['overview'],
    ),
  /** Settings of the process, as it runs. */
  process: () =>
    queryOptions({
      queryKey: ['process-settings'],
      queryFn: async ({ signal }) => (await get<Page<ProcessSetting>>('/api/process-settings', {}, signal)).items,
      staleTime: Number.POSITIVE_INFINITY,
    }),
};
