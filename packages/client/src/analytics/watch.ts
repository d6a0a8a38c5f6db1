import type { Analytics } from './analytics.ts';

/** Elements in the forms that pages pass: one, several, or a jQuery object. */
type Elements = Element | ArrayLike<Element | null> | null | undefined;

/** A value, or a function that makes it from the element. */
type Made = unknown | ((element: Element) => unknown);

/** Tracks clicks on links, or submissions of forms. The page may leave at once: queued calls are still sent. */
export function watch(
  analytics: Analytics,
  on: 'click' | 'submit',
  elements: Elements,
  event: Made,
  properties?: Made,
): Analytics {
  for (const element of elements instanceof Element ? [elements] : Array.from(elements ?? [])) {
    const made = (value: Made): unknown => (typeof value === 'function' ? value(element) : value);
    // Anything that is not an element is skipped: the letters of a selector, a look-up that found nothing.
    element?.addEventListener?.(on, () => void analytics.track(made(event), made(properties)));
  }
  return analytics;
}
