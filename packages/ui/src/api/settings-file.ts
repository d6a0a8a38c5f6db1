import type {
  AppliedSettings,
  NewSettings,
  ProcessSetting,
  SettingsFile,
  SettingsPlan,
} from '../../../server/src/admin/contract.ts';
import { call } from './client.ts';
import { asked, change, request, whole } from './query.ts';

const PATH = '/api/settings-file';

export const settingsFileApi = {
  /** All settings, as YAML. */
  current: () => asked<SettingsFile>(PATH),
  /** What a file would change. Applies nothing. */
  plan: () => request((body: NewSettings) => call<SettingsPlan>('POST', `${PATH}/plan`, { body })),
  apply: () =>
    change(({ revision, ...body }: NewSettings & Pick<SettingsPlan, 'revision'>) =>
      call<AppliedSettings>('POST', `${PATH}/apply`, { body, revision }),
    ),
  /** The settings that the process runs with. */
  process: () => ({ ...whole<ProcessSetting>('/api/process-settings', {}), staleTime: Number.POSITIVE_INFINITY }),
};
