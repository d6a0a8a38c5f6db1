import { lazyRouteComponent } from '@tanstack/react-router';
import { type ComponentType, lazy, type ReactNode, useEffect } from 'react';
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
 * A page whose code is loaded when it is opened: the one component that its module exports. If the code is gone, the service has a newer version, and the router
 * reloads the whole page. While the service can't be reached, a reload would end in an error page of the browser: then
 * this throws a `network` error instead.
 */
export function lazyPage(load: () => Promise<object>): ReturnType<typeof lazyRouteComponent<Page, 'page'>> {
  const loadOrTell = async (): Promise<Page> => {
    try {
      return pageIn(await load());
    } catch (error) {
      const wasLost = unreachableSince() !== null;
      await look();
      if (unreachableSince() !== null) throw unreachable(error);
      if (wasLost) return pageIn(await load());
      throw error;
    }
  };
  return lazyRouteComponent(loadOrTell, 'page');
}

interface Page {
  readonly page: () => ReactNode;
}

function pageIn(module: object): Page {
  return { page: Object.values(module).find((exported) => typeof exported === 'function') };
}
