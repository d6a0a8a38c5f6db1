import { useSyncExternalStore } from 'react';
import { serviceNow } from '../api/service-clock.ts';

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let now = serviceNow();

/** The current time in milliseconds since the epoch, renewed every second. One timer serves all components. */
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
