/** Runs functions later. */
export interface Timer {
  /** Calls `run` once after `ms` milliseconds; the answer cancels it. */
  after(ms: number, run: () => void): () => void;
}
