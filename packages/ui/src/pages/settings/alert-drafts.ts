import { randomId } from '@mantine/hooks';
import type { AlertAddress, AlertSettings, NewAlertAddress } from '../../../../server/src/admin/contract.ts';
import { RULE_CODES } from '../../../../server/src/alerts/rules.ts';

export type AddressKind = AlertAddress['kind'];

/** An address while it is edited; `key` identifies its row. */
export interface AddressDraft {
  readonly key: string;
  /** Id of a saved address; null for a new one. */
  readonly id: string | null;
  readonly kind: AddressKind;
  /** Empty for a saved Slack channel whose URL is not changed. */
  readonly url: string;
  readonly to: string;
}

export interface AlertValues extends Record<string, unknown> {
  readonly rules: AlertSettings['rules'];
  readonly endsAfter: string;
  readonly addresses: readonly AddressDraft[];
}

export const MOST_ADDRESSES = 10;

export const KINDS: readonly { readonly value: AddressKind; readonly label: string }[] = [
  { value: 'webhook', label: 'Webhook, signed' },
  { value: 'slack', label: 'Slack, or what takes its webhooks' },
  { value: 'email', label: 'E-mail' },
];

export function newAddress(kind: AddressKind): AddressDraft {
  return { key: randomId(), id: null, kind, url: '', to: '' };
}

export function valuesOf({ rules, endsAfter, addresses }: AlertSettings): AlertValues {
  const drafts = addresses.map(({ id, kind, url, to }) => {
    return { key: id, id, kind, url: kind === 'slack' ? '' : (url ?? ''), to: to ?? '' };
  });
  return { rules, endsAfter, addresses: drafts };
}

/**
 * The form's fields as the API takes them. Each rule is its own field, so that two people can change two rules. A saved
 * address keeps the values that its entry leaves out, such as the URL of a Slack channel. An address that another session
 * has removed is sent as a new one.
 */
export function fieldsOf(
  { rules, endsAfter, addresses }: AlertValues,
  { addresses: now }: Pick<AlertSettings, 'addresses'>,
) {
  const asked = addresses.map(({ id, kind, url, to }): NewAlertAddress => {
    const isSaved = now.some((address) => address.id === id);
    const isKept = url === '' && (kind === 'slack' || !isSaved);
    return { ...(isSaved && id !== null && { id }), kind, ...(kind === 'email' ? { to } : !isKept && { url }) };
  });
  const each = RULE_CODES.map((code) => [`rules.${code}`, rules[code]]);
  return { ...Object.fromEntries(each), endsAfter, addresses: asked };
}
