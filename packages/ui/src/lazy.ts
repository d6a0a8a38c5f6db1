import { lazyRouteComponent } from '@tanstack/react-router';
import { type ComponentType, lazy, useEffect } from 'react';
import { unreachable } from './api/client.ts';
import { look, unreachableSince } from './api/reach.ts';
import { notifyDoubt } from './components/notify.ts';

const MISSING = 'A part of the page could not be loaded: the service did not answer. Load the page again.';

/**
 * A part of a page whose code is loaded when it is first shown. If loading fails, the part renders nothing and a
 * notification says so; the rest of the page stays, with its typed values. There is no second attempt: a browser does
 * not load a failed module again.
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
 * A page whose code is loaded when it is opened. If the code is gone, the service has a newer version, and the router
 * reloads the whole page. While the service can't be reached, a reload would end in an error page of the browser: then
 * this throws a `network` error instead.
 */
// biome-ignore lint/suspicious/noExplicitAny: the router's own type; the props of a page are not known here.
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
