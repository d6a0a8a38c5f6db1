import type { Clock } from '../core/clock.ts';
import type { Destination } from '../core/destination.ts';
import type { Offsets } from '../core/position.ts';
import type { Source } from '../core/source.ts';
import type { EventLog } from '../log/contract.ts';
import type { EngineStatus } from './engine-status.ts';
import type { FrontDoor } from './outbox.ts';

/** What the stage gets from outside; its parts take what they need of it. */
export interface PeopleWorld {
  readonly log: Pick<EventLog, 'scan' | 'nextAppend' | 'countAfter'>;
  readonly settings: {
    source(id: string): Source | undefined;
    sources(): readonly Source[];
    putSource(source: Source): Promise<void>;
    changeSource(id: string, change: (now: Source) => Source): Promise<unknown>;
    deleteSource(id: string): Promise<void>;
    destinations(): readonly Destination[];
    changeDestination(id: string, change: (now: Destination) => Destination): Promise<unknown>;
  };
  /** Whether the settings include everything that other processes had changed before the call. */
  readonly caughtUp: () => Promise<boolean>;
  /** Takes the calls of audiences and traits. */
  readonly collect: FrontDoor;
  /** The end of the log, when everything that was accepted before this call is durable. */
  readonly end: () => Promise<Offsets>;
  /** How many shards the log has. */
  readonly shards: number;
  /** Longest time that calls wait in the log while there is neither audience nor trait, milliseconds. */
  readonly rest: number;
  readonly clock: Clock;
  readonly newId: (kind: 'aud' | 'trt' | 'src') => string;
  readonly newWriteKey: () => string;
  /** How long a change of another process may take, milliseconds; 0 where there is no other. */
  readonly gracePeriod: number;
  /** Called with what went wrong, and whether it is tried again. */
  readonly report: (error: unknown, what: string) => void;
}

/** Waits for a step of the leading engine, and notes its status. */
export type Step = (step: Promise<EngineStatus>) => Promise<EngineStatus>;
