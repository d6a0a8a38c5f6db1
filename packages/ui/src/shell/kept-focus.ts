/** So many of those that had the focus are remembered: the way back from a dialog over a dialog. */
const MOST_STOPS = 10;

/** What lies over a page, and leads back to what opened it. */
const OVER = '[role=dialog], [role=menu]';
/** What has a heading. */
const PARTS = 'section, main';

/** What had the focus, and the parts that it stood in, the innermost first. */
interface Stop {
  readonly element: HTMLElement;
  readonly parts: readonly Element[];
}

/**
 * The focus does not fall out of the page. A button that is disabled while its call is under way gets the focus back when the
 * call has ended. When what has the focus is removed, the heading of its part of the page takes it: another control would be
 * pressed by a key that is still down. When a dialog or a menu is removed, what had the focus before it takes it.
 * To be called once.
 */
export function keepFocus(): void {
  let stops: readonly Stop[] = [];
  let isLeft = false;
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement)) return;
    const others = stops.filter(({ element }) => element !== target);
    isLeft = false;
    stops = [{ element: target, parts: partsOf(target) }, ...others].slice(0, MOST_STOPS);
  });
  // A press beside all controls takes the focus away, and nothing gives it back.
  let isPressed = false;
  document.addEventListener('mousedown', () => (isPressed = true), { capture: true });
  document.addEventListener('mouseup', () => (isPressed = false), { capture: true });
  document.addEventListener('focusout', () => (isLeft = isPressed));
  const giveBack = (): void => {
    const [last] = stops;
    if (!last || isLeft || !isLost()) return;
    if (!last.element.isConnected) takerOf(stops)?.focus({ preventScroll: true });
    else if (isUsable(last.element)) last.element.focus({ preventScroll: true });
  };
  // Between what loses the focus and what gets it by a press the focus is nowhere for a moment, in which the page may change.
  new MutationObserver(() => setTimeout(giveBack)).observe(document.body, {
    subtree: true,
    childList: true,
    attributeFilter: ['disabled'],
  });
}

function isLost(): boolean {
  return document.activeElement === document.body;
}

function takerOf(stops: readonly Stop[]): HTMLElement | undefined {
  for (const { element, parts } of stops) {
    if (isUsable(element)) return element;
    for (const part of parts) {
      const entrance = part.isConnected ? entranceOf(part) : null;
      if (entrance) return entrance;
    }
  }
  return undefined;
}

/** What a part is read from. */
function entranceOf(part: Element): HTMLElement | null {
  if (part.matches(OVER)) return part.querySelector<HTMLElement>('[data-autofocus]') ?? part.querySelector('button');
  const heading = part.querySelector<HTMLElement>('h1, h2, h3');
  if (heading && !heading.hasAttribute('tabindex')) heading.tabIndex = -1;
  return heading;
}

function partsOf(element: Element): Element[] {
  const over = element.closest(OVER);
  if (over) return [over];
  const part = element.parentElement?.closest(PARTS);
  return part ? [part, ...partsOf(part)] : [];
}

function isUsable(element: HTMLElement): boolean {
  return element.isConnected && !element.matches(':disabled') && element.checkVisibility();
}
