import { Radio, Stack, Text } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import type { Source } from '../../../../server/src/admin/contract.ts';
import { sourcesApi } from '../../api/sources.ts';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { notifyDone } from '../../components/notify.ts';

const OVERLAPS = [
  { hours: '24', label: '24 hours more', about: 'For servers: deploy the new key within a day.' },
  { hours: '168', label: '7 days more', about: 'For web pages and apps that are open or cached somewhere.' },
  { hours: '0', label: 'Not at all', about: 'For a key that is abused: its calls are refused at once.' },
] as const;

/** A new write key, with the old one taken beside it for as long as clients need to change. */
export function RotateKeyButton({ source }: { readonly source: Source }): ReactElement {
  const [hours, setHours] = useState<string>('24');
  const { mutateAsync } = useMutation(sourcesApi.rotateKey());
  const confirm = async (): Promise<void> => {
    await mutateAsync({ id: source.id, revision: source.revision, overlapHours: Number(hours) });
    notifyDone(`“${source.name}” has a new write key.`);
  };
  return (
    <ConfirmButton
      label="Rotate the key"
      button={{ leftSection: <IconRefresh size={16} aria-hidden /> }}
      title={`Rotate the write key of “${source.name}”?`}
      action="Rotate the key"
      onConfirm={confirm}
    >
      <Stack gap="md">
        <Text>A new key is made. You choose for how long the old one is still taken beside it.</Text>
        <Radio.Group label="Take the old key for" value={hours} onChange={setHours}>
          <Stack gap="sm" mt="xs">
            {OVERLAPS.map(({ hours: value, label, about }) => (
              <Radio key={value} value={value} label={label} description={about} />
            ))}
          </Stack>
        </Radio.Group>
        {source.oldKey && (
          <Text c="var(--millrace-warn)">The key before this one is still taken. It ends with this rotation.</Text>
        )}
      </Stack>
    </ConfirmButton>
  );
}
