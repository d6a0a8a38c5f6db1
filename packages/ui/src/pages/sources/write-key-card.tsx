import { Group, Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Source } from '../../../../server/src/admin/contract.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { SectionCard } from '../../forms/section-card.tsx';
import { useMayChange } from '../../shell/session.ts';
import { OldKeyNote } from './old-key-note.tsx';
import { RotateKeyButton } from './rotate-key-button.tsx';

/** The key that clients carry, and the one before while it is still taken. */
export function WriteKeyCard({ source }: { readonly source: Source }): ReactElement {
  const mayChange = useMayChange();
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
          <RotateKeyButton source={source} />
        </Group>
      )}
    </SectionCard>
  );
}
