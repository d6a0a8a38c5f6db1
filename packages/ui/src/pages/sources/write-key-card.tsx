import { Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconRefresh } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { Source } from '../../../../server/src/admin/contract.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { SectionCard } from '../../forms/section-card.tsx';
import { useMayChange } from '../../shell/session.ts';
import { OldKeyNote } from './old-key-note.tsx';
import { RotateKeyDialog } from './rotate-key-dialog.tsx';

/** The key that clients carry, and the one before while it is still taken. */
export function WriteKeyCard({ source }: { readonly source: Source }): ReactElement {
  const mayChange = useMayChange();
  const [rotating, { open, close }] = useDisclosure(false);
  return (
    <SectionCard
      title="Write key"
      description="What clients send with every call. It only permits sending: every visitor of a web page can read it."
    >
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
          <Button variant="default" leftSection={<IconRefresh size={16} aria-hidden />} onClick={open}>
            Rotate the key
          </Button>
        </Group>
      )}
      <RotateKeyDialog source={source} opened={rotating} onClose={close} />
    </SectionCard>
  );
}
