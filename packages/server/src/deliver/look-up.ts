import { type LookupAddress, lookup } from 'node:dns';
import pLimit from 'p-limit';
import { BoundedMap } from '../core/bounded-map.ts';

/** `dns.lookup` with `all: true`. */
export type LookupAll = (
  hostname: string,
  options: { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** So many names are looked up at a time: half of the threads that `bin/millrace.js` sets. The system does no more. */
const AT_ONCE = 4;
/** A name whose last look-up took longer than this, milliseconds, is slow; few slow names are looked up at a time. */
const SLOW_MS = 1_000;
const SLOW_AT_ONCE = 2;
const MOST_SLOW = 10_000;

/**
 * Looks each name up once for all callers that wait for it. The system resolves few names at a time, and names whose servers hang
 * must not take all those places: slow names share two of them. A name that has waited for a place is not slow for that.
 */
export function sharedLookup(look: LookupAll): LookupAll {
  const waiting = new Map<string, Parameters<LookupAll>[2][]>();
  const slow = new BoundedMap<string, true>(MOST_SLOW);
  const inTurn = pLimit(AT_ONCE);
  const slowInTurn = pLimit(SLOW_AT_ONCE);
  const ask = (hostname: string): Promise<void> =>
    new Promise((done) => {
      const begun = performance.now();
      look(hostname, { all: true }, (error, addresses) => {
        if (performance.now() - begun > SLOW_MS) slow.set(hostname, true);
        else slow.delete(hostname);
        const told = waiting.get(hostname) ?? [];
        waiting.delete(hostname);
        done();
        for (const tell of told) tell(error, addresses);
      });
    });
  return (hostname, _options, callback) => {
    const others = waiting.get(hostname);
    if (others) return void others.push(callback);
    waiting.set(hostname, [callback]);
    const asked = (): Promise<void> => inTurn(() => ask(hostname));
    void (slow.has(hostname) ? slowInTurn(asked) : asked());
  };
}

/** The system's resolver, of which a process has one. */
export const lookupAll: LookupAll = sharedLookup((hostname, options, callback) => lookup(hostname, options, callback));
