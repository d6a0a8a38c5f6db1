/** A field, or what is wrong with more than one. */
const WRONG = '[aria-invalid="true"], [data-problem]';

/**
 * Once a form was sent, the first of its fields that is found wrong takes the focus: the page finds it, or the
 * service some time later. Until something is typed. To be called once, for every form there will be.
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
