import { type ComponentType, lazy, useEffect } from 'react';
import { notifyDoubt } from './components/notify.ts';

const MISSING =
  'A part of the page could not be loaded, because the service did not answer. Load the page again once it does.';

/**
 * A part of a page whose code is loaded when it is shown first. Where that fails, the rest of the page stays, with what was
 * typed, and says so. Browsers load no code again that failed once, so there is no second try.
 */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  return lazy(async () => ({ default: await load().catch(() => Missing as ComponentType<Props>) }));
}

function Missing({ onClose }: { readonly onClose?: () => void }): null {
  useEffect(() => {
    notifyDoubt(MISSING);
    onClose?.();
  }, [onClose]);
  return null;
}
