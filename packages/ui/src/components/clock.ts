import { useSyncExternalStore } from 'react';
import { serviceNow } from '../api/service-clock.ts';

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let now = serviceNow();

/** The time, milliseconds since the epoch, to the second. One timer serves every place that shows how long ago. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (listeners.size === 1) {
    now = serviceNow();
    timer = setInterval(() => {
      now = serviceNow();
      for (const tell of listeners) tell();
    }, 1_000);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) clearInterval(timer);
  };
}
