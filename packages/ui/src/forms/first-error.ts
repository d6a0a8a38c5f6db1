import { flushSync } from 'react-dom';

let sent: HTMLFormElement | null = null;

/** Remembers which form of the page was sent last. To be called once, at the start. */
export function followForms(): void {
  const remember = ({ target }: Event): void => {
    sent = target instanceof HTMLFormElement ? target : null;
  };
  document.addEventListener('submit', remember, { capture: true });
}

/** Lets a form show what is wrong, and puts the focus on the first field of the one that was sent. */
export function showErrors(show: () => void): void {
  flushSync(show);
  sent?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
}
