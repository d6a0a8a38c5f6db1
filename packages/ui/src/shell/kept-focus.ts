/** Number of focused elements that are remembered, for the way back from a dialog over a dialog. */
const MOST_STOPS = 10;

/** Elements above the page that give the focus back to the element that opened them. */
const OVER = '[role=dialog], [role=menu]';
/** Parts of a page that have a heading. */
const PARTS = 'section, main';

/** An element that had the focus, and the parts around it, the innermost first. */
interface Stop {
  readonly element: HTMLElement;
  readonly parts: readonly Element[];
}

/**
 * Keeps the focus inside the page. Call it once.
 *
 * A button that is disabled during its call gets the focus back when the call ends. If the focused element is removed,
 * the heading of its part of the page gets the focus: on another control, a key that is still held down would press it.
 * If a dialog or menu is removed, the element that had the focus before gets it back.
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
  // True while a mouse button is down. A press outside all controls removes the focus, and the page must not give it back.
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
  // During a click, the focus is nowhere for a moment between two elements, and the page may change in it.
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

/** The element of a part that takes the focus: its heading. */
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
