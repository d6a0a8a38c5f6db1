import type { Accounts } from '../accounts/accounts.ts';
import type { AlertStore } from '../alerts/contract.ts';
import type { SendNotice } from '../alerts/sending.ts';
import type { Backups } from '../backup/contract.ts';
import type { Clock } from '../core/clock.ts';
import type { Attempt, OutcomeClass } from '../core/delivery.ts';
import type { Destination, Signing, Target } from '../core/destination.ts';
import type { Event } from '../core/event.ts';
import type { Cut } from '../core/position.ts';
import type { RejectionGroup } from '../core/rejection.ts';
import type { Expects } from '../core/revision.ts';
import type { Source } from '../core/source.ts';
import type { Inspect } from '../deliver/inspect.ts';
import type { RetryPolicy } from '../deliver/schedule.ts';
import type { EventLog, Losses } from '../log/contract.ts';
import type { Definitions } from '../people/definitions.ts';
import type { FrontDoor } from '../people/outbox.ts';
import type { PeopleState, PeopleStatus } from '../people/people.ts';
import type { PeopleQueries } from '../people/queries.ts';
import type { DeliveryStore, Replay, ReplayCandidate, StatsStore } from '../record/contract.ts';
import type { FollowedReplay, ReplayPreview } from '../record/replay.ts';
import type { Regulation, RegulationType, Subject, Suppression } from '../regulations/contract.ts';
import type { Reach } from '../regulations/reach.ts';
import type { HealthReport, ProcessSetting } from './contract.ts';

/** What the admin API needs from the rest of the service. */
export interface AdminDeps {
  /** Who may call the routes under /api. */
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly settings: AdminSettings;
  readonly log: Pick<EventLog, 'find' | 'search' | 'totals' | 'lanes' | 'follow' | 'fetch'>;
  readonly losses: Losses;
  /** The end of the log, once everything that was accepted before this call is durable. */
  readonly end: () => Promise<Cut>;
  /** Whether requests may go to this machine's own addresses. */
  readonly loopback: AdminLoopback;
  readonly backups: Backups;
  readonly deliveries: Pick<
    DeliveryStore,
    'list' | 'events' | 'counts' | 'deliveriesOf' | 'statesOf' | 'oldestWaiting'
  >;
  readonly stats: Pick<StatsStore, 'series' | 'totals' | 'last'>;
  /** Resolves when the statistics have what this process has counted so far. */
  readonly flushStats: () => Promise<void>;
  /** Events accepted a second, mean of the last 10 s. */
  readonly perSecond: () => number;
  /** How long events and statistics are kept, milliseconds. */
  readonly retention: number;
  /** When messages are tried again, where a destination says nothing else. */
  readonly retry: RetryPolicy;
  readonly alerts: AdminAlerts;
  readonly replays: AdminReplays;
  readonly regulations: AdminRegulations;
  /** Whether an id is what careless callers send in the place of one. */
  readonly namesNobody: (id: string) => boolean;
  /** Asks for a compaction now: durable when it resolves. */
  readonly compaction: { ask(): Promise<void> };
  /** `lift` ends one, and answers whether there was one. */
  readonly suppressions: { list(): readonly Suppression[]; lift(userId: string): Promise<boolean> };
  readonly people: AdminPeople;
  /** Takes calls that an admin makes here. */
  readonly collect: FrontDoor;
  readonly rejections: AdminRejections;
  /** Refused calls by what is alike, of a source or all. */
  readonly rejectionGroups: { list(sourceId: string | null): Promise<readonly RejectionGroup[]> };
  /** The event that the collection API would make of a call. @throws Fault when the call is not valid. */
  readonly readTest: (call: Readonly<Record<string, unknown>>) => Event;
  /** The event to every URL of the destination, as it is delivered, once. */
  readonly sendTest: (to: TestTarget, event: Event) => Promise<TestSent>;
  /** How far the way to a URL goes, step by step; no byte of a request is sent. */
  readonly inspect: Inspect;
  /** Null when the URL can be saved; else why not. */
  readonly checkUrl: (url: string, lookUp?: boolean) => Promise<UrlRefusal | null>;
  /** Each static header that can't be saved, with the reason. */
  readonly checkHeaders: (headers: Readonly<Record<string, string>>) => readonly HeaderRefusal[];
  /** How sending to a destination goes right now; null when this process doesn't send to it. */
  readonly destinationStatus: (destinationId: string) => SendingStatus | null;
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

export interface AdminLoopback {
  isAllowed(): boolean;
  /** Only where the service is bound to this machine alone. */
  canBeAllowed(): boolean;
  /** How many destinations wait for it. */
  held(): number;
  /** Until the process ends. Answers false where it may not be. */
  allow(): boolean;
}

/** The part of the settings the admin API reads and changes. */
export interface AdminSettings {
  sources(): Source[];
  source(id: string): Source | undefined;
  sourceByWriteKey(key: string): Source | undefined;
  destinations(): Destination[];
  destination(id: string): Destination | undefined;
  putSource(source: Source): Promise<void>;
  /** @throws Fault `not_found`, or `changed_meanwhile` when its revision is not an expected one. */
  changeSource(id: string, change: (now: Source) => Source, expects?: Expects): Promise<Source>;
  deleteSource(id: string, expects?: Expects): Promise<void>;
  putDestination(destination: Destination): Promise<void>;
  changeDestination(id: string, change: (now: Destination) => Destination, expects?: Expects): Promise<Destination>;
  deleteDestination(id: string, expects?: Expects): Promise<void>;
}

export interface AdminReplays {
  preview(request: ReplayRequest): Promise<ReplayPreview>;
  create(request: ReplayRequest): Promise<FollowedReplay>;
  /** Null when each event waits for this destination anyway, or no lane leads there. */
  sendAgain(
    destinationId: string,
    events: readonly Pick<ReplayCandidate, 'position' | 'messageId' | 'receivedAt'>[],
    perSecond: number,
    webhookId: string | null,
  ): Promise<FollowedReplay | null>;
  /** Those begun since a time; all without one. */
  list(since?: number): Promise<readonly FollowedReplay[]>;
  get(id: string): Promise<FollowedReplay | undefined>;
  /** Resolves when it has stopped; one that has ended stays as it is. Undefined when there is none with this id. */
  halt(id: string): Promise<FollowedReplay | undefined>;
}

export type ReplayRequest = Pick<
  Replay,
  'destinationId' | 'state' | 'filter' | 'from' | 'to' | 'perSecond' | 'webhookId'
>;

export interface AdminRegulations {
  /** Durable, and suppressing where it is asked to, when it resolves. */
  create(type: RegulationType, userIds: readonly string[]): Promise<Regulation>;
  /** What that would reach now. */
  reach(userIds: readonly string[]): Promise<Reach>;
  list(): Promise<readonly Regulation[]>;
  get(id: string): Promise<Regulation | undefined>;
  /** Its users, by their place, from a place on. */
  subjects(id: string, from: number, limit: number): Promise<readonly Subject[]>;
  /** @throws Fault `conflict` while it runs. */
  delete(id: string): Promise<void>;
}

/** Audiences, computed traits, and what is known of persons. */
export interface AdminPeople {
  readonly definitions: Pick<Definitions, 'list' | 'get' | 'check' | 'create' | 'update' | 'delete' | 'sync'>;
  readonly queries: Omit<PeopleQueries, 'close'>;
  status(): PeopleStatus;
  state(): Promise<PeopleState>;
  /** Takes an id out of its person. @throws Fault `not_found`, `conflict`. */
  takeOut(id: string): Promise<void>;
  /** Forgets all persons and takes the log in again. */
  rebuild(): Promise<void>;
}

export interface AdminRejections {
  /** Refused calls and requests of a source since this process started. */
  count(sourceId: string): number;
  /** The last of them, newest first. */
  recent(sourceId: string): readonly RecentRejection[];
  /** Those of all sources refused after the one of a number, oldest first: at most the last 100. */
  after(number: number): readonly NumberedRejection[];
}

export interface NumberedRejection extends RecentRejection {
  readonly number: number;
  /** Null where the write key names no source. */
  readonly sourceId: string | null;
}

export interface RecentRejection {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly code: string;
  readonly message: string;
  /** The beginning of what was refused, as text. */
  readonly part: string;
}

export interface TestTarget extends Signing, Pick<Destination, 'policy' | 'redact' | 'redactKey'> {
  readonly webhooks: readonly Target[];
}

export interface UrlRefusal {
  readonly code: 'invalid_input' | 'address_not_allowed';
  readonly message: string;
}

export interface HeaderRefusal {
  /** Name of the header; empty when the headers as a whole are wrong. */
  readonly path: string;
  readonly message: string;
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

export interface SendingStatus {
  /** It waits for a person to allow its addresses. */
  readonly held: boolean;
  readonly breaker: 'closed' | 'open' | 'probing';
  /** Milliseconds since the epoch; null while the breaker is closed. */
  readonly probeAt: number | null;
  readonly urls: readonly SendingUrl[];
}

export interface SendingUrl {
  readonly id: string;
  readonly url: string;
  readonly concurrency: number;
  readonly inFlight: number;
  readonly stalled: boolean;
  readonly lastError: string | null;
}
