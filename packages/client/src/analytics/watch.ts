import type { Analytics } from './analytics.ts';

/** Elements as pages hand them over: one, several, or a jQuery object. */
type Elements = Element | ArrayLike<Element | null> | null | undefined;

/** A value, or how to make one from the element. */
type Made = unknown | ((element: Element) => unknown);

/** Tracks clicks on links, or submissions of forms. The page may go on at once: what is queued outlives it. */
export function watch(
  analytics: Analytics,
  on: 'click' | 'submit',
  elements: Elements,
  event: Made,
  properties?: Made,
): Analytics {
  for (const element of elements instanceof Element ? [elements] : Array.from(elements ?? [])) {
    const made = (value: Made): unknown => (typeof value === 'function' ? value(element) : value);
    // What is no element is passed over: a selector's letters, a look-up that found nothing.
    element?.addEventListener?.(on, () => void analytics.track(made(event), made(properties)));
  }
  return analytics;
}
