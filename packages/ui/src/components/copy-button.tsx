import { Button } from '@mantine/core';
import { IconCheck, IconCopy, IconX } from '@tabler/icons-react';
import { type ReactElement, useEffect, useState } from 'react';
import { IconButton } from './icon-button.tsx';

interface CopyButtonProps {
  readonly value: string;
  /** What is copied: `the write key`. */
  readonly of: string;
  /** As a button with its words, not only an icon. */
  readonly wide?: boolean;
}

const ICONS = { ready: IconCopy, copied: IconCheck, failed: IconX } as const;

export function CopyButton({ value, of, wide = false }: CopyButtonProps): ReactElement {
  const [state, setState] = useState<keyof typeof ICONS>('ready');
  useEffect(() => {
    if (state === 'ready') return;
    const timer = setTimeout(() => setState('ready'), 2_000);
    return () => clearTimeout(timer);
  }, [state]);

  const label = { ready: `Copy ${of}`, copied: 'Copied', failed: 'Could not copy: select it and copy by hand' }[state];
  const Icon = ICONS[state];
  const copy = async (): Promise<void> => setState((await copyText(value)) ? 'copied' : 'failed');
  if (wide) {
    return (
      <Button variant="default" size="xs" leftSection={<Icon size={14} aria-hidden />} onClick={() => void copy()}>
        {label}
      </Button>
    );
  }
  return <IconButton icon={Icon} label={label} onClick={() => void copy()} />;
}

/**
 * Puts a text on the clipboard. Over plain http browsers give pages no clipboard of their own; then a selection does it.
 *
 * @returns whether it is there.
 */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Absent or forbidden: the other way is left.
    return copySelected(text);
  }
}

function copySelected(text: string): boolean {
  const before = document.activeElement;
  const area = document.createElement('textarea');
  area.value = text;
  area.readOnly = true;
  area.style.position = 'fixed';
  area.style.opacity = '0';
  // Inside a dialog, where the focus may not leave it.
  (before?.closest('[role="dialog"]') ?? document.body).append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  return done;
}
