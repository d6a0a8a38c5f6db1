/** A wrong field, or a message about several fields. */
const WRONG = '[aria-invalid="true"], [data-problem]';

/**
 * After a form is submitted, focuses its first wrong field: found by the page at once, or by the service later. Stops
 * when the user types. Call it once; it serves all forms.
 */
export function focusFirstErrors(): void {
  let forget = (): void => undefined;
  const follow = (form: HTMLFormElement): void => {
    const observer = new MutationObserver(() => focus());
    const focus = (): void => {
      const first = form.querySelector<HTMLElement>(WRONG);
      if (!first) return;
      observer.disconnect();
      first.focus();
    };
    observer.observe(form, { subtree: true, childList: true, attributeFilter: ['aria-invalid'] });
    forget = () => observer.disconnect();
    focus();
  };
  const onSubmit = ({ target }: Event): void => {
    forget();
    if (target instanceof HTMLFormElement) follow(target);
  };
  document.addEventListener('submit', onSubmit, { capture: true });
  document.addEventListener('input', () => forget(), { capture: true });
}
