import type { Static } from 'typebox';
import { textOrNull, texts } from './field.ts';
import { answer, closed, described, flag, input, list, oneOf, optionals, text } from './shape.ts';

/** The most characters of a settings file. */
const MAX_YAML = 500_000;

export type SettingsFile = Static<typeof SettingsFile>;
export const SettingsFile = answer('SettingsFile', {
  yaml: text('Sources, destinations and alerts, as `millrace export` writes them'),
});

export const settingsFileQuery = closed(
  optionals({ withWriteKeys: flag({ default: false, description: 'With the write keys; admins only' }) }),
);

export type NewSettings = Static<typeof NewSettings>;
export const NewSettings = input(
  'NewSettings',
  {
    yaml: text({ maxLength: MAX_YAML, description: 'A settings file' }),
    ...optionals({
      prune: flag({ default: false, description: 'Deletes what is not in the file, of the sections that are in it' }),
      setSecrets: flag({
        default: false,
        description: 'Sets shared secrets also where one is set: what it is can not be known',
      }),
      variables: texts({ writeOnly: true, description: `Values for "\${NAME}" in its texts` }),
    }),
  },
  { examples: [{ yaml: 'sources: [{ name: Web shop, type: web }]' }] },
);

export type FieldChange = Static<typeof FieldChange>;
export const FieldChange = answer(
  'FieldChange',
  { field: text({ examples: ['webhooks.0.url'] }), from: textOrNull, to: textOrNull },
  'Null where there is no value, before or after. Secrets and values of variables are masked',
);

export type PlannedChange = Static<typeof PlannedChange>;
export const PlannedChange = answer('PlannedChange', {
  action: oneOf(['create', 'update', 'delete']),
  type: oneOf(['source', 'destination', 'alerts']),
  name: text(),
  fields: list(text(), 'Names of the fields that change'),
  values: list(FieldChange, 'The same with their values'),
});

const changes = list(PlannedChange, 'In the order in which they are made');

export type SettingsPlan = Static<typeof SettingsPlan>;
export const SettingsPlan = answer('SettingsPlan', {
  revision: text('Of these changes: `If-Match` of it applies them, and nothing else; also the `ETag`'),
  changes,
  notes: list(text(), 'What the file leaves as it is though one might think otherwise, and what was not compared'),
  ...optionals({
    uncompared: list(
      text(),
      'Paths of values in the file whose current values the role of the caller does not see: whether they differ is not known. ' +
        'Absent when everything was compared',
    ),
  }),
  before: text('The set-up as it is, YAML'),
  after: text('The set-up as it would be, YAML'),
});

export type AppliedSettings = Static<typeof AppliedSettings>;
export const AppliedSettings = answer('AppliedSettings', { changes });

export type ProcessSetting = Static<typeof ProcessSetting>;
export const ProcessSetting = answer(
  'ProcessSetting',
  {
    name: text('Name of its variable'),
    value: text('Masked when it is a secret; empty when there is none'),
    default: described(textOrNull, 'Null where it has none'),
    help: text(),
  },
  'A setting of the process, as it runs',
);
