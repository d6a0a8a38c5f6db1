import { useNavigate } from '@tanstack/react-router';
import { type ReactElement, Suspense, useRef } from 'react';
import { lazyPart } from '../lazy.ts';
import { ITEMS } from './navigation.tsx';
import { useMayOpen } from './session.ts';
import { useSingleKey } from './single-keys.ts';

const ShortcutsDialog = lazyPart(async () => (await import('./shortcuts-dialog.tsx')).ShortcutsDialog);

/** Milliseconds in which a letter must follow `g`. */
const WAITS = 1_500;

interface ShortcutsProps {
  readonly opened: boolean;
  readonly onOpen: () => void;
  readonly onClose: () => void;
}

/** `g` and a letter open a main page; `?` lists all shortcuts. */
export function Shortcuts({ opened, onOpen, onClose }: ShortcutsProps): ReactElement {
  const navigate = useNavigate();
  const mayOpen = useMayOpen();
  const going = useRef(Number.NEGATIVE_INFINITY);
  useSingleKey((event) => {
    const isGoing = event.timeStamp - going.current < WAITS;
    going.current = event.key === 'g' && !isGoing ? event.timeStamp : Number.NEGATIVE_INFINITY;
    const place = ITEMS.find((item) => item.letter === event.key && mayOpen(item));
    if (event.key === '?') onOpen();
    else if (isGoing && place) void navigate({ to: place.to });
    else return;
    event.preventDefault();
  });
  return <Suspense>{opened && <ShortcutsDialog onClose={onClose} />}</Suspense>;
}
