import { UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { lazy, type ReactElement, Suspense, useEffect } from 'react';
import classes from './shell.module.css';

const SearchDialog = lazy(async () => ({ default: (await import('../search/search-dialog.tsx')).SearchDialog }));

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Opens the search over everything, from every page: by click, ⌘K or Ctrl+K, and / where nothing is being typed. */
export function SearchField(): ReactElement {
  const [opened, { open, close }] = useDisclosure(false);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const isChord =
        event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey) && !event.shiftKey && !event.altKey;
      const isSlash = event.key === '/' && !event.metaKey && !event.ctrlKey && !isTyping(event.target);
      if (!isChord && !isSlash) return;
      event.preventDefault();
      open();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [open]);
  return (
    <>
      <UnstyledButton
        className={classes['search'] ?? ''}
        onClick={open}
        aria-haspopup="dialog"
        aria-keyshortcuts={isApple ? 'Meta+K' : 'Control+K'}
      >
        <IconSearch size={16} stroke={1.6} aria-hidden />
        <span>Search everything</span>
        <kbd aria-hidden>{isApple ? '⌘K' : 'Ctrl K'}</kbd>
      </UnstyledButton>
      {opened && (
        <Suspense>
          <SearchDialog onClose={close} />
        </Suspense>
      )}
    </>
  );
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));
}
