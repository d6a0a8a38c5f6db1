/**
 * One contract for everything that runs: `start` resolves when it serves, `stop` when it has drained and let go of what
 * it held. A second stop, and a stop before start, are fine.
 */
export interface Service {
  start(): Promise<void>;
  stop(): Promise<void>;
}
