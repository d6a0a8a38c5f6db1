import type { Accounts } from '../accounts/accounts.ts';
import type { AlertStore } from '../alerts/contract.ts';
import type { SendNotice } from '../alerts/sending.ts';
import type { Backups } from '../backup/contract.ts';
import type { Clock } from '../core/clock.ts';
import type { Attempt, OutcomeClass } from '../core/delivery.ts';
import type { Destination, Signing, Target } from '../core/destination.ts';
import type { Event } from '../core/event.ts';
import type { Offsets } from '../core/position.ts';
import type { UrlProblem } from '../deliver/address.ts';
import type { Inspect } from '../deliver/inspect.ts';
import type { Reach } from '../deliver/reach.ts';
import type { RunnerStatus } from '../deliver/runner-world.ts';
import type { RetryPolicy } from '../deliver/schedule.ts';
import type { EventLog, Losses } from '../log/contract.ts';
import type { Rejections } from '../observe/rejections.ts';
import type { FrontDoor } from '../people/outbox.ts';
import type { People } from '../people/people.ts';
import type { DeliveryStore, StatsStore } from '../record/contract.ts';
import type { RejectionGroups } from '../record/rejection-groups.ts';
import type { Replays } from '../record/replay.ts';
import type { Regulations } from '../regulations/regulations.ts';
import type { Suppressions } from '../regulations/suppressions.ts';
import type { Settings } from '../settings/settings.ts';
import type { HealthReport, ProcessSetting } from './contract.ts';

/** What the admin API needs from the rest of the service. */
export interface AdminDeps {
  /** Identifies the callers of routes under /api. */
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly settings: Settings;
  readonly log: Pick<EventLog, 'find' | 'search' | 'totals' | 'lanes' | 'follow' | 'fetch'>;
  readonly losses: Losses;
  /** The end of the log, when everything that was accepted before this call is durable. */
  readonly end: () => Promise<Offsets>;
  /** The addresses that requests may go to. */
  readonly reach: Pick<Reach, 'allowsLoopback' | 'canAllowLoopback' | 'holds'>;
  /** Allows addresses of this machine until the process ends. Answers false if the settings do not permit it. */
  readonly allowLoopback: () => boolean;
  readonly backups: Backups;
  readonly deliveries: Pick<
    DeliveryStore,
    'list' | 'events' | 'counts' | 'deliveriesOf' | 'statesOf' | 'oldestWaiting'
  >;
  readonly stats: Pick<StatsStore, 'series' | 'totals' | 'accepted' | 'last'>;
  /** Resolves when the statistics include everything this process has counted so far. */
  readonly flushStats: () => Promise<unknown>;
  /** Accepted events per second, as the mean of the last 10 s. */
  readonly perSecond: () => number;
  /** How long events and statistics are kept, milliseconds. */
  readonly retention: number;
  /** The default schedule of retries; a destination may have its own. */
  readonly retry: RetryPolicy;
  readonly alerts: AdminAlerts;
  readonly replays: Pick<Replays, 'preview' | 'create' | 'sendAgain' | 'list' | 'get' | 'halt'>;
  readonly regulations: Pick<Regulations, 'create' | 'reach' | 'list' | 'get' | 'subjects' | 'delete'>;
  /** Whether an id is a placeholder, which careless callers send in place of an id. */
  readonly isPlaceholderId: (id: string) => boolean;
  /** Asks for a compaction now. The request is durable when it resolves. */
  readonly compaction: { ask(): Promise<void> };
  /** `lift` ends a suppression, and answers whether it existed. */
  readonly suppressions: Pick<Suppressions, 'list' | 'lift'>;
  /** Audiences, computed traits, and the profiles of persons. */
  readonly people: Pick<People, 'definitions' | 'questions' | 'status' | 'state' | 'takeOut' | 'rebuild'>;
  /** Accepts calls that an admin makes in the interface. */
  readonly collect: FrontDoor;
  /** Refused calls and requests since this process started. */
  readonly rejections: Pick<Rejections, 'count' | 'recent' | 'after'>;
  /** Refused calls in groups of similar ones, of one source or of all. */
  readonly rejectionGroups: Pick<RejectionGroups, 'list'>;
  /** The event that the collection API would make of a call. @throws Fault if the call is invalid. */
  readonly readTest: (call: Readonly<Record<string, unknown>>) => Event;
  /** Sends the event once to every URL of the destination, as a delivery would. */
  readonly sendTest: (to: TestTarget, event: Event) => Promise<TestSent>;
  /** Checks the connection to a URL step by step, without sending a request. */
  readonly inspect: Inspect;
  /** Null if the URL may be saved; else the reason. */
  readonly checkUrl: (url: string, lookUp?: boolean) => Promise<UrlProblem | null>;
  /** Whether this node has seen earlier changes of other nodes. Resolves when it has, or can't. */
  readonly caughtUp: () => Promise<boolean>;
  /** Resolves when earlier changes hold on all nodes; see PeerNews.spread. */
  readonly spread: () => Promise<void>;
  /** The current state of sending to a destination; null if this process does not send to it. */
  readonly destinationStatus: (destinationId: string) => RunnerStatus | null;
  readonly health: { live(): Promise<HealthReport>; ready(): Promise<HealthReport> };
  /** Whether /health and /metrics have a port of their own. Then they are not on this one. */
  readonly probesApart: boolean;
  /** The settings of the process, secrets masked. */
  readonly processSettings: readonly ProcessSetting[];
  readonly metrics: { readonly contentType: string; render(): Promise<string>; tested(destinationId: string): void };
}

export interface AdminAlerts {
  readonly store: Pick<AlertStore, 'settings' | 'saveSettings' | 'incidents' | 'incident' | 'snoozes' | 'snooze'>;
  readonly send: SendNotice;
  /** Whether a mail server is set. */
  readonly canMail: boolean;
}

export interface TestTarget extends Signing, Pick<Destination, 'policy' | 'redact' | 'redactKey'> {
  readonly webhooks: readonly Target[];
}

export interface TestSent {
  readonly messageId: string;
  /** The body's bytes as text. */
  readonly body: string;
  readonly urls: readonly TestedUrl[];
}

export interface TestedUrl {
  readonly class: OutcomeClass;
  /** The headers as sent, by name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly attempt: Attempt;
}
