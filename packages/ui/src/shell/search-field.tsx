import { Button, Text } from '@mantine/core';
import { useDisclosure, useWindowEvent } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { type ReactElement, Suspense } from 'react';
import { lazyPart } from '../lazy.ts';
import classes from './shell.module.css';
import { useSingleKey } from './single-keys.ts';

const SearchDialog = lazyPart(async () => (await import('../search/search-dialog.tsx')).SearchDialog);

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

export const SEARCH_KEYS: readonly string[] = isApple ? ['⌘', 'K'] : ['Ctrl', 'K'];

/** Opens the search, from every page: by click, by ⌘K or Ctrl+K, or by / outside text fields. */
export function SearchField(): ReactElement {
  const [opened, { open, close }] = useDisclosure(false);
  useWindowEvent('keydown', (event) => {
    const isChord =
      event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey) && !event.shiftKey && !event.altKey;
    if (!isChord) return;
    event.preventDefault();
    open();
  });
  useSingleKey((event) => {
    if (event.key !== '/') return;
    event.preventDefault();
    open();
  });
  return (
    <>
      <Button
        variant="default"
        c="dimmed"
        fw={400}
        ml="auto"
        px={10}
        w={{ sm: 320 }}
        justify="space-between"
        rightSection={
          <Text span variant="aside" aria-hidden visibleFrom="sm">
            {SEARCH_KEYS.join(isApple ? '' : ' ')}
          </Text>
        }
        onClick={open}
        aria-haspopup="dialog"
        aria-keyshortcuts={isApple ? 'Meta+K' : 'Control+K'}
      >
        <IconSearch size={16} stroke={1.6} aria-hidden />
        <span className={classes['words']}>Search everything</span>
      </Button>
      {opened && (
        <Suspense>
          <SearchDialog onClose={close} />
        </Suspense>
      )}
    </>
  );
}
