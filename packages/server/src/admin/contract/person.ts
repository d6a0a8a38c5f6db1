import type { PersonName } from './audience.ts';

export interface Person extends PersonName {
  /** Everything calls have named them by. */
  identities: PersonIdentity[];
  /** Ids that calls named beside theirs and that were not joined, the newest first. */
  notJoined: NotJoined[];
  traits: PersonTrait[];
  groups: { id: string; traits: Record<string, unknown> }[];
  /** Traits and groups that are left out of this answer because there are too many, or too long. */
  notShown: number;
  /** The newest, newest first, by when they happened. */
  events: PersonEvent[];
  /** The `cursor` of `/api/people/{id}/events` for those before; null when these are all. */
  nextEvents: string | null;
  audiences: { id: string; name: string; key: string }[];
  computedTraits: { id: string; name: string; key: string; value: unknown }[];
}

export interface PersonIdentity {
  id: string;
  /** When a call first carried it as `userId`; null for one that was only an `anonymousId` or `previousId`. */
  userIdSince: string | null;
}

export interface NotJoined {
  id: string;
  sourceId: string;
  /** `user`: another user's, and only a server's alias joins two; `unknown`: no call carried it; `limit`: too many ids. */
  why: 'user' | 'unknown' | 'limit';
  at: string;
}

/** A person with several user ids. */
export interface JoinedPerson {
  userId: string;
  userIds: string[];
  /** An alias call named one of them. Without one, today's rules would not have joined them. */
  aliased: boolean;
}

/** Says that another id is this person's too. */
export interface NewIdentity {
  id: string;
  /** A server source: the alias is sent under it. */
  sourceId: string;
}

export interface PersonTrait {
  name: string;
  value: unknown;
  /** The time of the call that said so. */
  at: string;
}

export interface PersonEvent {
  at: string;
  type: 'track' | 'page' | 'screen';
  /** Name of the event, the page or the screen; null where there is none. */
  name: string | null;
  properties: Record<string, unknown>;
  messageId: string;
}

/** Why a person is in an audience, or is not. */
export interface Why {
  audienceId: string;
  /** The definition that was asked, as it is now: the reason has its form. */
  definition: unknown;
  reason: Reason;
}

/** A tree of the condition's own form. */
export type Reason = ReasonValue &
  (
    | { all: Reason[] }
    | { any: Reason[] }
    | { not: Reason }
    /** The person's value and its time; null where there is none. */
    | { trait: string; found: { value: unknown; at: string } | null }
    /** The person's groups that have the trait. */
    | { groupTrait: string; found: { groupId: string; value: unknown }[] }
    /** How many events count, and the newest of them, newest first. */
    | { events: number; newest: { messageId: string; at: string }[] }
    | { audience: string }
  );

interface ReasonValue {
  value: boolean;
  /** When time alone will change the value; null for never. */
  changesAt: string | null;
}

/** How it stands with what is known of persons. */
export interface PeopleStatus {
  /** Persons that are known. */
  persons: number;
  /** Calls that were accepted and are not taken in yet. */
  lag: number;
  /** Identify calls of audiences and traits that wait to be sent. */
  outbox: number;
  /** Of 1, how much of the log a rebuild has read; null when there is none. */
  rebuilding: number | null;
}
