/**
 * The contract of everything that runs. `start` resolves when it serves; `stop` when it has drained and released what it held. A
 * second stop, and a stop before the start, do nothing. A service that runs on one node at a time may be started again after a
 * stop.
 */
export interface Service {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Several services as one: started in this order, stopped in reverse. */
export function inTurn(services: readonly Service[]): Service {
  return {
    async start() {
      for (const service of services) await service.start();
    },
    async stop() {
      for (const service of services.toReversed()) await service.stop();
    },
  };
}
