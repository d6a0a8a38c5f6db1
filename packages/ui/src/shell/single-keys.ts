import { useLocalStorage, useWindowEvent } from '@mantine/hooks';

/** Whether shortcuts without Ctrl are on. Stored in this browser. Programs that read aloud or take speech may need them off. */
export function useSingleKeys(): readonly [on: boolean, set: (on: boolean) => void] {
  const [on, set] = useLocalStorage({
    key: 'millrace-single-keys',
    defaultValue: true,
    getInitialValueInEffect: false,
  });
  return [on, set];
}

/** Calls `press` for keys without Ctrl (`?` with Shift), but not while the user types, chooses an option or answers a dialog. */
export function useSingleKey(press: (event: KeyboardEvent) => void): void {
  const [on] = useSingleKeys();
  useWindowEvent('keydown', (event) => {
    const { target, ctrlKey, metaKey, altKey, isComposing, repeat, defaultPrevented } = event;
    if (!on || ctrlKey || metaKey || altKey || isComposing || repeat || defaultPrevented || isTaken(target)) return;
    press(event);
  });
}

/**
 * Elements that use keys themselves: fields, and lists and menus, in which a letter selects. An open dialog turns off the
 * page's shortcuts.
 */
const TAKEN = 'input, textarea, select, [role=listbox], [role=menu], [role=combobox], [role=grid], [role=application]';

function isTaken(target: EventTarget | null): boolean {
  if (document.querySelector('[role=dialog]')) return true;
  return target instanceof HTMLElement && (target.isContentEditable || target.closest(TAKEN) !== null);
}
