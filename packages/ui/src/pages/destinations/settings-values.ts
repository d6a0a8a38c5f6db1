import type { UseFormReturnType } from '@mantine/form';
import type { Destination, Policy, Redaction, TrackFilter } from '../../../../server/src/admin/contract.ts';
import { valueFor } from '../../conditions/definition-editor.tsx';
import { readCondition } from '../../conditions/read.ts';
import { written } from '../../conditions/written.ts';
import type { Fields } from '../../forms/use-edit-form.ts';
import { draftsOf, type WebhookDraft, webhooksOf } from '../../forms/webhook-draft.ts';

/** The settings of a destination as they are typed, with the API's names. */
export type SettingsValues = {
  readonly name: string;
  readonly sourceIds: readonly string[];
  readonly settings: {
    readonly webhooks: WebhookDraft[];
    /** A new secret; empty keeps the current one. */
    readonly sharedSecret: string;
    readonly signatures: string[];
    /** A new secret; empty keeps the current one. */
    readonly standardSecret: string;
    /** How long a replaced secret also signs. */
    readonly secretOverlap: string;
  };
  readonly policy: PolicyValues;
  readonly success: string;
  readonly order: string;
  readonly orderHold: string;
  readonly trackFilter: { readonly mode: string; readonly events: readonly string[] };
  /** As `DefinitionEditor` takes it; null for all calls. */
  readonly filter: unknown;
  readonly redact: readonly Redaction[];
  readonly consent: readonly string[];
  /** As the API takes them. */
  readonly alerts: Destination['alerts'];
  readonly maxEventAgeHours: {
    readonly mode: string;
    /** Number of units; empty while nothing is typed. */
    readonly amount: number | string;
    readonly unit: string;
  };
};

export type SettingsForm = UseFormReturnType<SettingsValues>;

const HOURS: Readonly<Record<string, number>> = { hours: 1, days: 24 };

export function valuesOf(of: Destination): SettingsValues {
  const { name, sourceIds, settings, success, order, orderHold, alerts, maxEventAgeHours: hours } = of;
  const unit = hours !== null && hours % 24 !== 0 ? 'hours' : 'days';
  return {
    ...{ name, sourceIds, success, order, orderHold, alerts },
    filter: of.filter && valueFor(of.filter, readCondition),
    settings: {
      webhooks: draftsOf(settings.webhooks),
      sharedSecret: '',
      signatures: [...settings.signatures],
      standardSecret: '',
      secretOverlap: '24h',
    },
    policy: policyValues(of.policy),
    trackFilter: of.trackFilter ?? { mode: 'none', events: [] },
    redact: of.redact ?? [],
    consent: of.consent ?? [],
    maxEventAgeHours: {
      mode: hours === null ? 'any' : 'limited',
      amount: hours === null ? 7 : hours / (HOURS[unit] ?? 1),
      unit,
    },
  };
}

/** The settings as the API takes them. A URL that another session has removed is sent as a new one. */
export function fieldsOf(values: SettingsValues, destination: Destination): Fields {
  const { name, sourceIds, settings, success, order, orderHold, redact, consent, alerts } = values;
  const { mode, amount, unit } = values.maxEventAgeHours;
  return {
    ...{ name, sourceIds, success, order, orderHold: orderHold.trim(), redact, consent, alerts },
    filter: written(values.filter),
    'settings.webhooks': webhooksOf(settings.webhooks, destination.settings.webhooks),
    'settings.sharedSecret': settings.sharedSecret,
    'settings.signatures': settings.signatures,
    'settings.standardSecret': settings.standardSecret,
    'settings.secretOverlap': replacesSecret(settings) ? settings.secretOverlap : '',
    policy: policyOf(values.policy),
    trackFilter: filterOf(values.trackFilter),
    maxEventAgeHours: mode === 'any' ? null : Number(amount) * (HOURS[unit] ?? 1),
  };
}

function replacesSecret({ sharedSecret, standardSecret }: SettingsValues['settings']): boolean {
  return sharedSecret !== '' || standardSecret !== '';
}

export function filterOf({ mode, events }: SettingsValues['trackFilter']): TrackFilter | null {
  return mode === 'allow' || mode === 'deny' ? { mode, events } : null;
}

/** A policy as it is typed. Empty fields use the service's values. */
interface PolicyValues {
  readonly ratePerSecond: number | string;
  readonly maxConcurrency: number | string;
  readonly timeout: string;
  readonly retryWindow: string;
  readonly permanentStatuses: string[];
  readonly temporaryStatuses: string[];
}

function policyValues(policy: Policy | null): PolicyValues {
  const { ratePerSecond = '', maxConcurrency = '', timeout = '', retryWindow = '' } = policy ?? {};
  const { permanentStatuses = [], temporaryStatuses = [] } = policy ?? {};
  return {
    ...{ ratePerSecond, maxConcurrency, timeout, retryWindow },
    permanentStatuses: permanentStatuses.map(String),
    temporaryStatuses: temporaryStatuses.map(String),
  };
}

/** Null if nothing is typed. */
function policyOf(values: PolicyValues): Policy | null {
  const typed = Object.entries(values).flatMap(([name, value]): [string, unknown][] => {
    if (Array.isArray(value)) return value.length === 0 ? [] : [[name, value.map(Number)]];
    const text = String(value).trim();
    if (text === '') return [];
    return [[name, name === 'timeout' || name === 'retryWindow' ? text : Number(text)]];
  });
  return typed.length === 0 ? null : (Object.fromEntries(typed) as Policy);
}
