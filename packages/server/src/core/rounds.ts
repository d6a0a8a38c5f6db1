/** What became of rounds of attempts: the message was delivered, failed for good, or is tried again. */
interface Rounds {
  readonly processed: number;
  readonly failed: number;
  readonly retried: number;
}

/** How many rounds these are. By their share that delivered a message, health and alerts tell whether a destination takes its messages. */
export function roundsOf({ processed, failed, retried }: Rounds): number {
  return processed + failed + retried;
}
