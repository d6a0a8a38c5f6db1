import { type Runtime, standard } from './runtime.ts';
import { uuid } from './uuid.ts';

/** What a browser has. */
export const pageRuntime: Runtime = {
  ...standard,
  uuid,
  debug: wantsDebug,
  // So that a batch is always small enough to outlive its page.
  batchBytes: 60_000,
};

/** `localStorage.debug = 'analytics'`. A browser may forbid the look itself. */
function wantsDebug(): boolean {
  try {
    return /(^|[\s,])(analytics|\*)($|[\s,])/.test(localStorage.getItem('debug') ?? '');
  } catch {
    return false;
  }
}
