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
import type { Suppression } from '../regulations/contract.ts';
import type { Regulations } from '../regulations/regulations.ts';
import type { Settings } from '../settings/settings.ts';
import type { HealthReport, ProcessSetting } from './contract.ts';

/** What the admin API needs from the rest of the service. */
export interface AdminDeps {
  /** Who may call the routes under /api. */
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly settings: Settings;
  readonly log: Pick<EventLog, 'find' | 'search' | 'totals' | 'lanes' | 'follow' | 'fetch'>;
  readonly losses: Losses;
  /** The end of the log, once everything that was accepted before this call is durable. */
  readonly end: () => Promise<Offsets>;
  /** Which addresses requests may go to. */
  readonly reach: Pick<Reach, 'allowsLoopback' | 'canAllowLoopback' | 'holds'>;
  /** Allows this machine's own addresses until the process ends. Answers false where it may not be. */
  readonly allowLoopback: () => boolean;
  readonly backups: Backups;
  readonly deliveries: Pick<
    DeliveryStore,
    'list' | 'events' | 'counts' | 'deliveriesOf' | 'statesOf' | 'oldestWaiting'
  >;
  readonly stats: Pick<StatsStore, 'series' | 'totals' | 'accepted' | 'last'>;
  /** Resolves when the statistics have what this process has counted so far. */
  readonly flushStats: () => Promise<void>;
  /** Events accepted a second, mean of the last 10 s. */
  readonly perSecond: () => number;
  /** How long events and statistics are kept, milliseconds. */
  readonly retention: number;
  /** When messages are tried again, where a destination says nothing else. */
  readonly retry: RetryPolicy;
  readonly alerts: AdminAlerts;
  readonly replays: Pick<Replays, 'preview' | 'create' | 'sendAgain' | 'list' | 'get' | 'halt'>;
  readonly regulations: Pick<Regulations, 'create' | 'reach' | 'list' | 'get' | 'subjects' | 'delete'>;
  /** Whether an id is what careless callers send in the place of one. */
  readonly isPlaceholderId: (id: string) => boolean;
  /** Asks for a compaction now: durable when it resolves. */
  readonly compaction: { ask(): Promise<void> };
  /** `lift` ends one, and answers whether there was one. */
  readonly suppressions: { list(): readonly Suppression[]; lift(userId: string): Promise<boolean> };
  /** Audiences, computed traits, and what is known of persons. */
  readonly people: Pick<People, 'definitions' | 'queries' | 'status' | 'state' | 'takeOut' | 'rebuild'>;
  /** Takes calls that an admin makes here. */
  readonly collect: FrontDoor;
  /** Refused calls and requests since this process started. */
  readonly rejections: Pick<Rejections, 'count' | 'recent' | 'after'>;
  /** Refused calls by what is alike, of a source or all. */
  readonly rejectionGroups: Pick<RejectionGroups, 'list'>;
  /** The event that the collection API would make of a call. @throws Fault when the call is not valid. */
  readonly readTest: (call: Readonly<Record<string, unknown>>) => Event;
  /** The event to every URL of the destination, as it is delivered, once. */
  readonly sendTest: (to: TestTarget, event: Event) => Promise<TestSent>;
  /** How far the way to a URL goes, step by step; no byte of a request is sent. */
  readonly inspect: Inspect;
  /** Null when the URL can be saved; else why not. */
  readonly checkUrl: (url: string, lookUp?: boolean) => Promise<UrlProblem | null>;
  /** Resolves when this node knows what others had changed before, or can't hear of it. */
  readonly caughtUp: () => Promise<unknown>;
  /** How sending to a destination goes right now; null when this process doesn't send to it. */
  readonly destinationStatus: (destinationId: string) => RunnerStatus | null;
  readonly health: { live(): Promise<HealthReport>; ready(): Promise<HealthReport> };
  /** Whether /health and /metrics have a port of their own, and so are not here. */
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
  /** As sent, by name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly attempt: Attempt;
}
