import { Button } from '@mantine/core';
import { IconCheck, IconCopy, IconX } from '@tabler/icons-react';
import { type ReactElement, useEffect, useState } from 'react';
import { IconButton } from './icon-button.tsx';

interface CopyButtonProps {
  readonly value: string;
  /** The thing that is copied: `the write key`. */
  readonly of: string;
  /** Shows a button with text in place of an icon alone. */
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
 * Puts a text on the clipboard. Over plain http a browser gives pages no clipboard; the text is then copied by a
 * selection.
 *
 * @returns whether the text was copied.
 */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // The clipboard is absent or forbidden: copy by a selection.
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
  // A dialog keeps the focus inside itself, so the text area must be in the dialog.
  (before?.closest('[role="dialog"]') ?? document.body).append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  return done;
}
