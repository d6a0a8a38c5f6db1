import { Button, Group, Menu, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { AlertSettings } from '../../../../server/src/admin/contract.ts';
import { IconButton } from '../../components/icon-button.tsx';
import { IN_MAIN } from '../../components/in-main.ts';
import { type AddressDraft, type AlertValues, KINDS, MOST_ADDRESSES, newAddress } from './alert-drafts.ts';

interface AddressFieldsProps {
  readonly form: UseFormReturnType<AlertValues>;
  readonly saved: AlertSettings;
}

/** Who is told. */
export function AddressFields({ form, saved }: AddressFieldsProps): ReactElement {
  const { addresses } = form.values;
  const change = (next: readonly AddressDraft[]): void => form.setFieldValue('addresses', next);
  return (
    <>
      {addresses.length === 0 && (
        <Text c="dimmed">No one is told. Incidents are shown on their page and on the overview.</Text>
      )}
      {addresses.map((draft, i) => {
        const { key, id, kind } = draft;
        const field = kind === 'email' ? 'to' : 'url';
        const label = `${KINDS.find(({ value }) => value === kind)?.label ?? kind}`;
        const shown = saved.addresses.find((address) => address.id === id)?.url ?? '';
        return (
          <Group key={key} gap="xs" align="flex-end" wrap="nowrap">
            <TextInput
              style={{ flex: 1, minWidth: 0 }}
              label={label}
              type={kind === 'email' ? 'email' : 'url'}
              required
              placeholder={kind === 'slack' && id !== null ? `${shown} (kept)` : PLACEHOLDERS[kind]}
              {...form.getInputProps(`addresses.${i}.${field}`)}
            />
            <IconButton
              size={36}
              variant="default"
              icon={IconTrash}
              label={`Remove the address ${draft[field] || shown || label}`}
              onClick={() => change(addresses.filter((other) => other !== draft))}
            />
          </Group>
        );
      })}
      <Group>
        <Menu position="bottom-start" {...IN_MAIN}>
          <Menu.Target>
            <Button
              variant="default"
              leftSection={<IconPlus size={16} aria-hidden />}
              disabled={addresses.length >= MOST_ADDRESSES}
            >
              Add an address
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {KINDS.map(({ value, label }) => {
              const cannot = value === 'email' && !saved.canMail;
              return (
                <Menu.Item
                  key={value}
                  {...(cannot && WITH_REASON)}
                  onClick={() => change([...addresses, newAddress(value)])}
                >
                  {label}
                  {cannot && ': MILLRACE_SMTP_URL is not set'}
                </Menu.Item>
              );
            })}
          </Menu.Dropdown>
        </Menu>
      </Group>
    </>
  );
}

/** What can't be chosen can still be read: it says why. */
const WITH_REASON = { disabled: true, c: 'dimmed', opacity: 1 } as const;

const PLACEHOLDERS = {
  webhook: 'https://example.com/alerts',
  slack: 'https://hooks.slack.com/services/…',
  email: 'on-call@example.com',
};
