import Type from 'typebox';
import type * as contract from '../contract.ts';
import { textOrNull } from './field.ts';
import type { SchemaOf } from './shape.ts';
import { named, ref } from './shape.ts';

/** Longest settings file, characters. */
const MAX_YAML = 500_000;

const yaml = Type.String({ description: 'Every source and destination, as `millrace export` writes them' });

export const SettingsFile: SchemaOf<contract.SettingsFile> = named<contract.SettingsFile>()(
  'SettingsFile',
  Type.Object({ yaml }),
);

export interface SettingsFileQuery {
  withWriteKeys?: boolean;
}

export const settingsFileQuery: SchemaOf<SettingsFileQuery> = Type.Unsafe<SettingsFileQuery>(
  Type.Object(
    { withWriteKeys: Type.Optional(Type.Boolean({ default: false, description: 'With the write keys; admins only' })) },
    { additionalProperties: false },
  ),
);

export const NewSettings: SchemaOf<contract.NewSettings> = named<contract.NewSettings>()(
  'NewSettings',
  Type.Object(
    {
      yaml: Type.String({ maxLength: MAX_YAML, description: 'A settings file' }),
      prune: Type.Optional(
        Type.Boolean({
          default: false,
          description: 'Deletes what is not in the file, of the sections that are in it',
        }),
      ),
      setSecrets: Type.Optional(
        Type.Boolean({ default: false, description: 'Sets shared secrets also where one is set' }),
      ),
      variables: Type.Optional(
        Type.Record(Type.String(), Type.String(), {
          writeOnly: true,
          description: `Values for "\${NAME}" in its texts`,
        }),
      ),
    },
    { additionalProperties: false, examples: [{ yaml: 'sources: [{ name: Web shop, type: web }]' }] },
  ),
);

export const FieldChange: SchemaOf<contract.FieldChange> = named<contract.FieldChange>()(
  'FieldChange',
  Type.Object({ field: Type.String(), from: textOrNull, to: textOrNull }),
);

export const PlannedChange: SchemaOf<contract.PlannedChange> = named<contract.PlannedChange>()(
  'PlannedChange',
  Type.Object({
    action: Type.Enum(['create', 'update', 'delete'], { type: 'string' }),
    type: Type.Enum(['source', 'destination'], { type: 'string' }),
    name: Type.String(),
    fields: Type.Array(Type.String()),
    values: Type.Array(ref(FieldChange)),
  }),
);

export const SettingsPlan: SchemaOf<contract.SettingsPlan> = named<contract.SettingsPlan>()(
  'SettingsPlan',
  Type.Object({
    changes: Type.Array(ref(PlannedChange), { description: 'In the order in which they would be made' }),
    notes: Type.Array(Type.String()),
    before: Type.String({ description: 'The set-up as it is, YAML' }),
    after: Type.String({ description: 'The set-up as it would be, YAML' }),
  }),
);

export const AppliedSettings: SchemaOf<contract.AppliedSettings> = named<contract.AppliedSettings>()(
  'AppliedSettings',
  Type.Object({ changes: Type.Array(ref(PlannedChange)) }),
);

export const ProcessSetting: SchemaOf<contract.ProcessSetting> = named<contract.ProcessSetting>()(
  'ProcessSetting',
  Type.Object({
    name: Type.String({ description: 'Name of its variable' }),
    value: Type.String({ description: 'Masked when it is a secret; empty when there is none' }),
    default: textOrNull,
    help: Type.String(),
  }),
);
