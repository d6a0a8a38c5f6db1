import { type Runtime, standard } from './runtime.ts';
import { uuid } from './uuid.ts';

/** The runtime of a page. */
export const pageRuntime: Runtime = {
  ...standard,
  uuid,
  debug: wantsDebug,
  // Small enough that every batch can be sent with `keepalive`.
  batchBytes: 60_000,
};

/** Whether the visitor set `localStorage.debug = 'analytics'`. False if the browser forbids reading it. */
function wantsDebug(): boolean {
  try {
    return /(^|[\s,])(analytics|\*)($|[\s,])/.test(localStorage.getItem('debug') ?? '');
  } catch {
    return false;
  }
}
