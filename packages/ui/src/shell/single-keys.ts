import { useLocalStorage, useWindowEvent } from '@mantine/hooks';

/** Whether keys without Ctrl do something, kept in this browser: programs that read or write by voice may need them. */
export function useSingleKeys(): readonly [on: boolean, set: (on: boolean) => void] {
  const [on, set] = useLocalStorage({
    key: 'millrace-single-keys',
    defaultValue: true,
    getInitialValueInEffect: false,
  });
  return [on, set];
}

/** Calls for keys that are pressed alone (`?` with Shift), but where something is typed, chosen or asked. */
export function useSingleKey(press: (event: KeyboardEvent) => void): void {
  const [on] = useSingleKeys();
  useWindowEvent('keydown', (event) => {
    const { target, ctrlKey, metaKey, altKey, isComposing, repeat, defaultPrevented } = event;
    if (!on || ctrlKey || metaKey || altKey || isComposing || repeat || defaultPrevented || isTaken(target)) return;
    press(event);
  });
}

/** Keys are taken by fields, and by lists and menus in which letters choose; a dialog has what is below it wait. */
const TAKEN = 'input, textarea, select, [role=listbox], [role=menu], [role=combobox], [role=grid], [role=application]';

function isTaken(target: EventTarget | null): boolean {
  if (document.querySelector('[role=dialog]')) return true;
  return target instanceof HTMLElement && (target.isContentEditable || target.closest(TAKEN) !== null);
}
