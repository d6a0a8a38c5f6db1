import { lazyRouteComponent } from '@tanstack/react-router';
import { type ComponentType, lazy, useEffect } from 'react';
import { unreachable } from './api/client.ts';
import { look, unreachableSince } from './api/reach.ts';
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

/**
 * A page whose code is loaded when it is opened. Code that is gone is that of an older version, and the router loads the whole
 * anew; while the service can't be reached that would end in a page of the browser, so it is told apart.
 */
// biome-ignore lint/suspicious/noExplicitAny: as the router has it; the props of a page are not known here.
export function lazyPage<Module extends Record<string, any>, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
): ReturnType<typeof lazyRouteComponent<Module, Name>> {
  const loadOrTell = async (): Promise<Module> => {
    try {
      return await load();
    } catch (error) {
      const wasLost = unreachableSince() !== null;
      await look();
      if (unreachableSince() !== null) throw unreachable(error);
      if (wasLost) return load();
      throw error;
    }
  };
  return lazyRouteComponent(loadOrTell, name);
}
