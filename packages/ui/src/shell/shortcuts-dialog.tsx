import { Group, Kbd, Modal, Stack, Switch, Table } from '@mantine/core';
import type { ReactElement } from 'react';
import { ITEMS } from './navigation.tsx';
import { SEARCH_KEYS } from './search-field.tsx';
import { useMayOpen } from './session.ts';
import { useSingleKeys } from './single-keys.ts';

/** All keyboard shortcuts that work on every page. */
export function ShortcutsDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const mayOpen = useMayOpen();
  const [on, set] = useSingleKeys();
  const rows: (readonly [keys: readonly string[], what: string])[] = [
    [SEARCH_KEYS, 'Search everything'],
    ...(on
      ? ([
          [['/'], 'Search everything'],
          ...ITEMS.filter(mayOpen).map(({ letter, label }) => [['g', letter], label] as const),
          [['?'], 'This list'],
        ] as const)
      : []),
    [['Esc'], 'Close what is open'],
  ];
  return (
    <Modal opened onClose={onClose} title="Keyboard shortcuts">
      <Stack gap="md">
        <Switch
          label="Keys without Ctrl"
          description="Switch them off where a screen reader or a program for voices uses the same keys. It is kept in this browser."
          checked={on}
          onChange={({ currentTarget }) => set(currentTarget.checked)}
        />
        <Table
          aria-label="Keyboard shortcuts"
          data={{
            head: ['Keys', 'What they do'],
            body: rows.map(([keys, what]) => [<Keys key="keys" keys={keys} />, what]),
          }}
        />
      </Stack>
    </Modal>
  );
}

function Keys({ keys }: { readonly keys: readonly string[] }): ReactElement {
  return (
    <Group gap={4}>
      {keys.map((key) => (
        <Kbd key={key}>{key}</Kbd>
      ))}
    </Group>
  );
}
