import type { Clock } from '../core/clock.ts';
import type { Destination } from '../core/destination.ts';
import type { Offsets } from '../core/position.ts';
import type { Source } from '../core/source.ts';
import type { EventLog } from '../log/contract.ts';
import type { EngineStatus } from './engine-status.ts';
import type { FrontDoor } from './outbox.ts';

/** What the stage is given of all that lies around it; its parts take what they need of it. */
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
  /** Whether the settings have by now what other processes had changed before the call. */
  readonly caughtUp: () => Promise<boolean>;
  /** Takes the calls that audiences and traits make. */
  readonly collect: FrontDoor;
  /** The end of the log, once everything that was accepted before this call is durable. */
  readonly end: () => Promise<Offsets>;
  /** How many shards the log has. */
  readonly shards: number;
  /** Longest that calls stay in the log while there is no audience and no trait, milliseconds. */
  readonly rest: number;
  readonly clock: Clock;
  readonly newId: (kind: 'aud' | 'trt' | 'src') => string;
  readonly newWriteKey: () => string;
  /** How long a change that another process makes may be under way, milliseconds; 0 where there is none. */
  readonly gracePeriod: number;
  /** Is told what went wrong, and whether it is tried again. */
  readonly report: (error: unknown, what: string) => void;
}

/** Notes how the engine that leads stands after a step of it. */
export type Step = (step: Promise<EngineStatus>) => Promise<EngineStatus>;
