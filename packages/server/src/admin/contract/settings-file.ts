/** The whole set-up as YAML, as `millrace export` writes and `millrace apply` reads it. */
export interface SettingsFile {
  yaml: string;
}

/** A file to be planned or applied. */
export interface NewSettings extends SettingsFile {
  /** Deletes what is not in the file, of the sections that are in it; default false. */
  prune?: boolean;
  /** Sets shared secrets also where one is set: what it is can't be known; default false. */
  setSecrets?: boolean;
  /** Values for `${NAME}` in the file's texts. They are never shown. */
  variables?: Record<string, string>;
}

/** What applying a file would change; nothing is done. */
export interface SettingsPlan {
  /** In the order they would be made. */
  changes: PlannedChange[];
  /** What the file leaves as it is though one might think otherwise. */
  notes: string[];
  /** The set-up before and after, YAML, for a diff. */
  before: string;
  after: string;
}

export interface PlannedChange {
  action: 'create' | 'update' | 'delete';
  type: 'source' | 'destination';
  name: string;
  /** Names of the fields that change. */
  fields: string[];
  /** The same with their values. */
  values: FieldChange[];
}

/** A value that changes; null where there is none, before or after. Secrets and values of variables are masked. */
export interface FieldChange {
  /** `webhooks.0.url` */
  field: string;
  from: string | null;
  to: string | null;
}

export interface AppliedSettings {
  changes: PlannedChange[];
}

/** Settings of the process, as it runs: to be looked at, secrets masked. */
export interface ProcessSetting {
  name: string;
  value: string;
  default: string | null;
  help: string;
}
