import type { UseFormReturnType } from '@mantine/form';
import type { NewDestination, UrlCheck } from '../../../../server/src/admin/contract.ts';
import { fieldAt } from '../../forms/apply-problem.ts';
import { type WebhookDraft, webhooksOf } from '../../forms/webhook-draft.ts';

/** A destination while it is set up, with fields at the same paths as in the API. */
export interface WizardDraft {
  readonly name: string;
  readonly sourceIds: string[];
  readonly settings: {
    readonly webhooks: WebhookDraft[];
    readonly sharedSecret: string;
    /** Secret of the Standard Webhooks signature; empty: no such signature. */
    readonly standardSecret: string;
  };
  readonly enabled: boolean;
}

/** The form that all steps share. */
export type WizardForm = UseFormReturnType<WizardDraft>;

/** The steps, in order. */
export const STEPS = [
  { id: 'destination', label: 'Destination' },
  { id: 'sources', label: 'Sources' },
  { id: 'urls', label: 'URLs' },
  { id: 'secret', label: 'Shared secret' },
  { id: 'switch-on', label: 'Switch on' },
] as const;

/** The index of the step in the address; 0 if the address has none. */
export function stepFrom(name: string | undefined): number {
  return Math.max(
    0,
    STEPS.findIndex(({ id }) => id === name),
  );
}

/** The errors of a step that the page can find, by field. The service finds the rest. */
export function errorsOf({ name, sourceIds, settings }: WizardDraft, step: number): Record<string, string> {
  switch (STEPS[step]?.id) {
    case 'destination':
      return name.trim() === '' ? { name: 'Give it a name' } : {};
    case 'sources':
      return sourceIds.length === 0 ? { sourceIds: 'Choose at least one source, or create one' } : {};
    case 'urls':
      return Object.fromEntries(
        settings.webhooks.flatMap(({ url }, i) => {
          const flaw = flawOf(url.trim()) ?? repetitionIn(settings.webhooks, i);
          return flaw === null ? [] : [[`settings.webhooks.${i}.url`, flaw]];
        }),
      );
    default:
      return {};
  }
}

/** The first step that is not complete. Later steps can't be opened. */
export function firstOpenStep(draft: WizardDraft): number {
  const open = STEPS.findIndex((_, i) => Object.keys(errorsOf(draft, i)).length > 0);
  return open === -1 ? STEPS.length - 1 : open;
}

/** The step that contains a field, by the field's path; null if none does. */
export function stepOf(path: string): number | null {
  if (path === 'name') return 0;
  if (path.startsWith('sourceIds')) return 1;
  if (path.startsWith('settings.webhooks')) return 2;
  if (path === 'settings.sharedSecret' || path === 'settings.standardSecret') return 3;
  return null;
}

export function destinationOf({ name, sourceIds, settings, enabled }: WizardDraft): NewDestination {
  return {
    name: name.trim(),
    type: 'Webhooks',
    sourceIds,
    enabled,
    settings: {
      webhooks: webhooksOf(settings.webhooks),
      sharedSecret: settings.sharedSecret || null,
      ...(settings.standardSecret !== '' && {
        signatures: ['segment', 'standard'],
        standardSecret: settings.standardSecret,
      }),
    },
  };
}

function flawOf(url: string): string | null {
  if (url === '') return 'Enter the URL that takes the calls';
  const isWeb = URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);
  return isWeb ? null : 'A whole URL is needed, like https://hooks.example.com/millrace';
}

function repetitionIn(drafts: readonly WebhookDraft[], place: number): string | null {
  const called = drafts.map(({ url }) => URL.parse(url.trim())?.href);
  const first = called.indexOf(called[place]);
  return first === place ? null : `The same as URL ${first + 1}: each URL is called once`;
}

/** The message of the failed step of each chosen check, by the form field that it concerns. */
export function flawsOf(
  checks: readonly UrlCheck[],
  drafts: readonly WebhookDraft[],
  isMeant: (check: UrlCheck) => boolean,
): Record<string, string> {
  return Object.fromEntries(
    checks.flatMap((check, i) => {
      const failed = check.steps.find(({ ok }) => !ok);
      const path = `settings.webhooks.${i}.${failed?.field ?? 'url'}`;
      return failed && isMeant(check)
        ? [[fieldAt({ settings: { webhooks: drafts } }, path) ?? path, failed.message]]
        : [];
    }),
  );
}
