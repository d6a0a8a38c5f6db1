import { lazyRouteComponent } from '@tanstack/react-router';
import { unreachable } from './api/client.ts';
import { look, unreachableSince } from './api/reach.ts';

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
