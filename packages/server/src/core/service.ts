/**
 * One contract for everything that runs: `start` resolves when it serves, `stop` when it has drained and let go of what
 * it held. A second stop, and a stop before start, are fine. What runs on one node at a time is started again after a stop.
 */
export interface Service {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Services as one: started in this order, stopped in reverse. */
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
