import { type Attempt, attemptOf, type Outcome } from '../core/delivery.ts';
import type { Destination } from '../core/destination.ts';
import type { Job } from './endpoint.ts';
import { EARLY, type Endpoints, STALLED, type Targets } from './endpoints.ts';
import { outgoing } from './redaction.ts';
import { isLasting, type Message, type RoundResult } from './round.ts';
import type { RunnerWorld } from './runner-world.ts';
import type { Terms } from './terms.ts';
import type { Turns } from './turns.ts';

/** What a message is sent with. */
export interface Sending {
  readonly endpoints: Endpoints;
  readonly turns: Turns;
  readonly world: Pick<RunnerWorld, 'clock' | 'meter'>;
  /** The present settings: a message that waits is sent by the newest ones. */
  readonly destination: () => Destination;
  readonly terms: () => Terms;
  /** A request has ended, so its URL has room for another. */
  readonly answered: () => void;
}

/** Sends a message to each of its URLs, independently of each other. `ended` is called when every URL has answered or was skipped. */
export function beginRound(
  { endpoints, turns, world, destination, terms, answered }: Sending,
  message: Message,
  { open, held }: Targets,
  now: number,
  isEarly: boolean,
  ended: (result: RoundResult) => void,
): void {
  const attempts: Attempt[] = [];
  if (isEarly) attempts.push(...open.slice(0, 1).map(({ webhook }) => attemptOf(webhook, now, 0, EARLY)));
  const outcomes: { id: string; outcome: Outcome }[] = [];
  const { living } = endpoints;
  let left = open.length;
  let startedAt: number | null = null;
  for (const endpoint of open) {
    const { webhook } = endpoint;
    const end = (outcome: Outcome, at: number, ms: number): void => {
      outcomes.push({ id: webhook.id, outcome });
      attempts.push(attemptOf(webhook, at, ms, outcome));
      if (--left > 0) return;
      const isResumed = held.some((id) => !endpoints.held.includes(id));
      ended({ startedAt: startedAt ?? now, attempts, outcomes, held, isResumed });
    };
    const job: Job = {
      position: message.entry.position,
      bytes: message.entry.body.byteLength,
      isRetry: message.retried,
      isLasting: isLasting(message.entry),
      start: () => {
        turns.spend();
        const at = world.clock.now();
        startedAt ??= at;
        endpoint.sender.send(outgoing(message.entry, destination()), (answer) => {
          const outcome = terms().taken(answer);
          const answeredAt = world.clock.now();
          endpoint.ended(outcome, answeredAt - at, answeredAt);
          world.meter.attempted(message.destinationId, outcome, answeredAt - at);
          end(outcome, at, answeredAt - at);
          answered();
        });
      },
      skip: (instead) => end(instead, world.clock.now(), 0),
    };
    if (living && endpoint.stalled && !endpoint.free(now)) job.skip(STALLED);
    else endpoint.add(job, now);
  }
}
