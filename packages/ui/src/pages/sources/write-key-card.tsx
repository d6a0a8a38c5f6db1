import { Alert, Group, Radio, Stack, Text } from '@mantine/core';
import { IconClock, IconRefresh } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import type { OldKey, Source } from '../../../../server/src/admin/contract.ts';
import { sourcesApi } from '../../api/sources.ts';
import { useNow } from '../../components/clock.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { notifyDone } from '../../components/notify.ts';
import { Time } from '../../components/time.tsx';
import { duration } from '../../format/number.ts';
import { SectionCard } from '../../forms/section-card.tsx';
import { useMayChange } from '../../shell/session.ts';

/** The write key, and the previous one while it is still accepted. */
export function WriteKeyCard({ source }: { readonly source: Source }): ReactElement {
  const mayChange = useMayChange();
  return (
    <SectionCard title="Write key" description={source.type === 'server' ? OF_A_SERVER : OF_CLIENTS}>
      {mayChange ? (
        <CodeBlock code={source.writeKey} label="key to send with" />
      ) : (
        <Stack gap={4}>
          <Text size="md" ff="monospace">
            {source.writeKey}
          </Text>
          <Text c="dimmed">Only admins see the whole key.</Text>
        </Stack>
      )}
      {source.oldKey && <OldKeyNote source={source} oldKey={source.oldKey} />}
      {mayChange && (
        <Group>
          <RotateKeyButton source={source} />
        </Group>
      )}
    </SectionCard>
  );
}

const OF_CLIENTS =
  'What clients send with every call. It only permits sending: every visitor of a web page can read it.';
const OF_A_SERVER =
  'What your servers send with every call. Keep it secret: calls with it are trusted, and an alias joins two users.';

const OVERLAPS = [
  { hours: '24', label: '24 hours more', about: 'For servers: deploy the new key within a day.' },
  { hours: '168', label: '7 days more', about: 'For web pages and apps that are open or cached somewhere.' },
  { hours: '0', label: 'Not at all', about: 'For a key that is abused: its calls are refused at once.' },
] as const;

/** Makes a new write key. The old one is accepted for as long as the clients need to change. */
function RotateKeyButton({ source }: { readonly source: Source }): ReactElement {
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

interface OldKeyNoteProps {
  readonly source: Source;
  readonly oldKey: OldKey;
}

/** The previous write key, until its time is over or a user ends it. */
function OldKeyNote({ source, oldKey }: OldKeyNoteProps): ReactElement | null {
  const mayChange = useMayChange();
  const drop = useMutation(sourcesApi.dropOldKey());
  const left = Date.parse(oldKey.until) - useNow();
  if (left <= 0) return null;
  return (
    <Alert color="yellow" icon={<IconClock aria-hidden />} title="The old key is still taken">
      <Text style={{ overflowWrap: 'anywhere' }}>
        <code>{oldKey.writeKey}</code> works until <Time at={oldKey.until} absolute />, for {duration(left)} more. Move
        every client to the new key before.
      </Text>
      {mayChange && (
        <Group mt="sm">
          <ConfirmButton
            label="Stop taking it now"
            button={{ size: 'xs' }}
            title={`Stop taking the old key of “${source.name}”?`}
            action="Stop taking the old key"
            onConfirm={() => drop.mutateAsync({ id: source.id, revision: source.revision })}
          >
            Calls of clients that still send <code>{oldKey.writeKey}</code> are refused from now on. It can't be brought
            back.
          </ConfirmButton>
        </Group>
      )}
    </Alert>
  );
}
