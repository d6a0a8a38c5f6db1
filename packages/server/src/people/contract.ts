import type { Position } from '../core/event.ts';
import type { Offsets } from '../core/position.ts';
import type { Versioned } from '../core/revision.ts';
import type { Condition, Job, TraitDefinition } from './definition.ts';
import type { Kind, Person, PersonEvent } from './person.ts';
import type { EventName, EventNamesQuery, Most, SeenTrait } from './seen.ts';

/**
 * The profile store: who is who, what each person is and did, what was decided about them, and what destinations were told.
 *
 * Persons have numbers that are never used again: when persons are united, the numbers of all but one end. Times are milliseconds
 * since the epoch.
 */
export interface ProfileStore extends ProfileReader {
  /**
   * Runs `work` with all its writes in one transaction: all of it is durable when this resolves, nothing of it when it rejects.
   * One transaction at a time, of all processes. `changed`: another process may have written since the last transaction of this
   * one, so what is remembered must be read again.
   */
  transaction<T>(work: (writer: ProfileWriter, changed: boolean) => Promise<T>): Promise<T>;

  /** Rewrites the files, so that none contains what was removed before this call. Answers false when a reader has a file open: then call it again. */
  compact(): Promise<boolean>;

  close(): Promise<void>;
}

export interface ProfileReader {
  /** The position up to which the calls of each source were taken in, by the source's id; and each shard of the log, by `shardKey`. */
  positions(): Promise<ReadonlyMap<string, Position>>;

  /** The known ones of these ids. */
  identities(ids: readonly string[]): Promise<readonly Identity[]>;
  /** All ids of these persons. */
  identitiesOf(persons: readonly number[]): Promise<readonly Identity[]>;

  /** The sources whose calls named these persons; a person that no call named has no entry. */
  sourcesOf(persons: readonly number[]): Promise<ReadonlyMap<number, readonly string[]>>;
  /** Ids that were not joined to a person, the newest first. */
  unjoined(person: number): Promise<readonly Unjoined[]>;
  /** The persons of a range with several user ids. */
  several(range: PersonRange): Promise<readonly number[]>;
  /** How many ids of a source's calls were not joined; counted up to `limit`. */
  countUnjoined(sourceId: string, limit: number): Promise<number>;

  /** The user ids of these persons, as far as the persons exist. */
  names(persons: readonly number[]): Promise<readonly PersonName[]>;
  /** The persons after a number, by number: at most `limit`, none at the end. */
  namesAfter(after: number, limit: number): Promise<readonly PersonName[]>;
  /** What was decided about persons, under all definitions or these; persons without any decision are left out. */
  states(persons: Persons, of: DefinitionIds): Promise<ReadonlyMap<number, PersonState>>;
  /** What persons are and did, as far as `needs` asks for it; persons without any of it are left out. Look-backs end at `now`. */
  facts(persons: Persons, needs: Needs, now: number): Promise<ReadonlyMap<number, PersonFacts>>;
  /** Names of the traits, or ids of the groups, for those of these persons that have `least` or more of them. */
  held(kind: HeldKind, persons: readonly number[], least: number): Promise<ReadonlyMap<number, ReadonlySet<string>>>;
  /** Names of the traits for those of these groups that have `least` or more. */
  groupTraits(groupIds: readonly string[], least: number): Promise<ReadonlyMap<string, ReadonlySet<string>>>;
  /** The traits of these groups, up to the bound of a read; groups that were not read completely are left out. */
  traitsOfGroups(groupIds: readonly string[], most: Most): Promise<ReadonlyMap<string, ReadonlyMap<string, unknown>>>;
  /** The values that were sent last for user ids, as JSON by the definition's id; user ids without any are left out. */
  lastTold(userIds: readonly string[], of: DefinitionIds): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>>;
  /** Events of a person, newest first: all, or those before one. */
  recentEvents(person: number, limit: number, before?: EventPlace | null): Promise<readonly PersonEvent[]>;
  /** The highest number of a person; 0 when there is none. */
  lastPerson(): Promise<number>;
  /** How many persons there are. */
  persons(): Promise<number>;
  /** Identities whose ids begin with a text, in the order of ids; an empty text finds all. */
  find(prefix: string, limit: number): Promise<readonly Identity[]>;
  /**
   * Traits of `NAMING_TRAITS` whose values begin with a text, without regard to the case of ASCII letters, in the order of
   * values. Text and values count up to 100 characters.
   */
  findNames(prefix: string, limit: number): Promise<readonly NamingTrait[]>;
  /** Names of the events of a type, at most `limit`: those that appeared last. Names without events are left out. */
  eventNames(query: EventNamesQuery): Promise<readonly EventName[]>;
  /** The properties, as JSON, of the newest events of a kind (for any name: of a few names), without events of the future. */
  newestProperties(kind: Kind, now: number, most: Most): Promise<readonly string[]>;
  /** The traits of the persons, or groups, that appeared last, one person or group after the other. */
  newestTraits(of: 'person' | 'group', most: Most): Promise<readonly SeenTrait[]>;
  /** The persons of the newest events of these kinds (`limit` of them), without events of the future: newest first, each person once. */
  latest(events: readonly NeededEvents[], now: number, limit: number): Promise<readonly number[]>;

  definitions(): Promise<readonly Definition[]>;
  /** Sources under which audiences and traits send, or ever sent. */
  ownSources(): Promise<ReadonlySet<string>>;

  /** Persons, each with the definitions that must be decided again, longest due first. */
  due(now: number, limit: number): Promise<readonly Due[]>;
  /** When the first of them is due; null where none is. */
  nextDue(): Promise<number | null>;

  /** Messages to send, in the order of their decisions. */
  outbox(limit: number): Promise<readonly Message[]>;
  outboxSize(): Promise<number>;

  /** Members of an audience, or persons with a value of a trait, with numbers below `below`, highest first. */
  members(definitionId: string, below: number, limit: number): Promise<readonly Member[]>;
  /** The same persons, those who joined last first: all, or those before a place. Persons whose time of joining is unknown come last. */
  latestMembers(definitionId: string, before: MemberPlace | null, limit: number): Promise<readonly Member[]>;
  /** Which of these persons are members, in no order. */
  membersAmong(definitionId: string, persons: readonly number[]): Promise<readonly Member[]>;
  /** The size at each full hour since a time, oldest first. */
  sizes(definitionId: string, since: number): Promise<readonly Size[]>;
  /** For how many persons of a range a condition holds now, a sample of them by number, and how many persons the range has. */
  count(condition: Condition, now: number, range: PersonRange, sample: number): Promise<Counted>;

  /** Whether a rebuild has begun and not ended. */
  rebuilding(): Promise<boolean>;

  /** An erasure that has begun and not ended; null where none has this id. */
  erasure(id: string): Promise<ProfileErasure | null>;
  /** Whether an erasure has begun and not ended. */
  erasing(): Promise<boolean>;
}

export interface ProfileWriter extends ProfileReader {
  setPositions(positions: ReadonlyMap<string, Position>): Promise<void>;
  /** This many numbers for new persons. */
  newPersons(count: number): Promise<readonly number[]>;
  /**
   * Unites persons: identities, traits (the latest by time, then position), groups and events go to one of them. Where a person
   * may not have so many, the traits with the oldest times are left out. Decisions about the person that ends are removed. Each
   * person ends once, and none becomes part of one that ends.
   */
  unite(unions: readonly PersonUnion[]): Promise<void>;
  /** Adds or replaces identities. */
  putIdentities(identities: readonly Identity[]): Promise<void>;
  /** Stores which source named which person, for as long as the person exists. */
  putSeen(seen: readonly Seen[]): Promise<void>;
  /** Stores ids that were not joined, each once for a person; the newest `UNJOINED_OF_A_PERSON` of a person stay. */
  putUnjoined(unjoined: readonly Unjoined[]): Promise<void>;
  /** Sets the user id of persons; a number that was not used before becomes a person. */
  putPersons(persons: readonly PersonName[]): Promise<void>;
  /**
   * Adds what calls said. A trait older than the stored one, and an event that is stored already, are left out. Where a person
   * has too many events of a kind, the oldest are removed.
   */
  record(facts: Facts): Promise<Recorded>;

  /** Stores decisions of a time, at which persons without a value before join; updates the sizes. */
  decide(decisions: readonly Decision[], at: number): Promise<void>;
  /** Puts messages into the outbox. Each is what its user id was sent last, from now on. */
  tell(messages: readonly Omit<Message, 'id'>[]): Promise<void>;
  /** Removes sent messages from the outbox, and stores the time for their definitions. */
  told(ids: readonly number[], now: number): Promise<void>;
  /** Makes definitions due for these persons at a time, unless they are due earlier. */
  makeDue(dues: readonly Due[]): Promise<void>;
  /** Takes back that something is due. */
  notDue(dues: readonly Due[]): Promise<void>;
  /** Makes definitions due for all persons of each of these groups. */
  makeGroupsDue(dues: readonly GroupDue[], at: number): Promise<void>;

  /** Adds or replaces a definition; its size stays. */
  putDefinition(definition: Definition): Promise<void>;
  /** Removes up to `limit` decisions under a definition; when none is left, the definition is removed. Answers whether it is. */
  forget(definitionId: string, limit: number): Promise<boolean>;
  /**
   * Stores, under this hour, the size of each definition that existed when the hour began and is not being computed, unless one is stored.
   * Answers whether sizes under a later hour than the next were found and removed: a clock was ahead.
   */
  keepSizes(hour: number): Promise<boolean>;

  /** Removes all persons, all decisions about them and all positions; keeps what was sent last. */
  wipe(): Promise<void>;
  /** A rebuild begins, or ends. */
  setRebuilding(is: boolean): Promise<void>;

  /**
   * Begins an erasure: removes these persons, the decisions about them, and what was or is to be sent for any of their ids. Their
   * events stay until `sweep`, and belong to no person from now on. Groups and their traits stay.
   */
  erase(erasure: ProfileErasure, persons: readonly number[]): Promise<void>;
  /** Removes up to `limit` events of erased persons; answers whether none is left. */
  sweep(limit: number): Promise<boolean>;
  /** Removes up to `limit` events from before a time, kind by kind, starting at kind `from`. `next`: the kind to continue with; null at the end. */
  expireEvents(before: number, from: number, limit: number): Promise<ExpiredEvents>;
  /** Removes the persons of a range without a user id, a group or an event, whose traits are all from before a time. */
  expirePersons(before: number, range: PersonRange): Promise<void>;
  /** Removes an erasure. */
  endErasure(id: string): Promise<void>;
}

export interface ExpiredEvents {
  /** The persons of the removed events. */
  readonly persons: readonly number[];
  readonly next: number | null;
}

/** Persons that are being erased, and what was known of them. It is kept until nothing of them is left anywhere. */
export interface ProfileErasure {
  /** The id of the regulation. */
  readonly id: string;
  /** Everything up to these offsets was taken in when they were erased, and nothing after it. */
  readonly through: Offsets;
  /** For each user of the request, in its order: all ids of the person, the user's own first. */
  readonly ids: readonly (readonly string[])[];
  /** All of these ids that no call had as its userId, without the users' own. Older versions stored none. */
  readonly anonymousIds?: readonly string[];
  /** For each of them, the sources whose calls named the person. Older versions stored none. */
  readonly sources?: readonly (readonly string[])[];
}

/** An id that calls carry, as userId, anonymousId or previousId, and the person it belongs to. */
export interface Identity {
  readonly id: string;
  readonly person: number;
  /** The earliest time of a call with this userId; null where no call had it: then no message can be sent for it. */
  readonly since: number | null;
  /**
   * The latest time of an alias of a server source that named it: as the new id, or as the earlier id where no call had it as
   * userId, which makes it a user's id too. Null where there was none.
   */
  readonly aliased: number | null;
}

/** Traits by which people are known. An index leads from their values to persons: a further trait here needs a new index. */
export const NAMING_TRAITS = ['email', 'name', 'firstName', 'lastName', 'username', 'phone'] as const;

export interface NamingTrait {
  readonly person: number;
  readonly trait: string;
  readonly value: unknown;
}

/** A source whose calls named a person. */
export interface Seen {
  readonly person: number;
  readonly sourceId: string;
}

/** An id that stood in a call beside a person's id and was not joined to the person. */
export interface Unjoined {
  readonly person: number;
  readonly id: string;
  readonly sourceId: string;
  /**
   * `user`: it belongs to another user, and only a server's alias joins two users. `unknown`: no call had carried it, and the
   * alias came from no server. `limit`: the person would have too many ids.
   */
  readonly why: 'user' | 'unknown' | 'limit';
  /** The time of the newest such call. */
  readonly at: number;
}

export const UNJOINED_OF_A_PERSON = 20;

/** A person who becomes part of another one. */
export interface PersonUnion {
  readonly from: number;
  readonly into: number;
}

/** A list of persons, or all persons of a range. */
export type Persons = readonly number[] | PersonRange;

export type DefinitionIds = ReadonlySet<string> | 'all';

/** What a decision needs to know of a person. */
export interface Needs {
  readonly traits: ReadonlySet<string> | 'all';
  /** Groups are read where this has a name. */
  readonly groupTraits: ReadonlySet<string>;
  readonly events: readonly NeededEvents[];
}

/** Events that a decision needs. A name of null stands for every name. */
export interface NeededEvents extends Kind {
  /** How far back they matter, milliseconds; Infinity for all. */
  readonly lookBack: number;
}

/** What a person is and did. */
export type PersonFacts = Pick<Person, 'traits' | 'groups' | 'events'>;

/** The decisions about a person. */
export interface PersonState extends Pick<Person, 'audiences'> {
  /** Values of traits as JSON, by the definition's id. */
  readonly values: ReadonlyMap<string, string>;
  /** When each definition is decided again. */
  readonly due: ReadonlyMap<string, number>;
}

/** An audience or a computed trait. */
export interface Definition extends Versioned {
  readonly id: string;
  readonly what: { readonly audience: Condition } | { readonly trait: TraitDefinition };
  readonly name: string;
  /** The name of the trait in the identify calls. */
  readonly key: string;
  /** The source under which its calls are sent. */
  readonly sourceId: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Work for all persons; null when it is done and only changes are decided. */
  readonly job: Job | null;
  /** How many members, or persons with a value, there are. */
  readonly size: number;
  /** When the last of its calls was accepted; null when none was. */
  readonly sentAt: number | null;
}

/** Things of which a person has at most `MOST_OF_A_PERSON`. */
export type HeldKind = 'traits' | 'groups';

export interface Recorded {
  /** Changed traits of groups. */
  readonly changes: readonly GroupChange[];
  /** Persons that had too many events, whose oldest events were removed. */
  readonly trimmed: readonly number[];
}

export interface Facts {
  readonly traits: readonly TraitFact[];
  readonly groups: readonly { readonly person: number; readonly groupId: string }[];
  readonly groupTraits: readonly GroupTraitFact[];
  readonly events: readonly (PersonEvent & { readonly person: number })[];
}

export interface TraitFact {
  readonly person: number;
  readonly name: string;
  readonly value: unknown;
  readonly at: number;
  readonly position: Position;
}

export interface GroupTraitFact extends Omit<TraitFact, 'person'> {
  readonly groupId: string;
}

export type GroupChange = Pick<GroupTraitFact, 'groupId' | 'name'>;

export interface Decision {
  readonly definitionId: string;
  readonly person: number;
  /** JSON; null for no member, or no value. */
  readonly value: string | null;
  readonly before: string | null;
  /** When it is decided again; null for never. */
  readonly dueAt: number | null;
}

export interface Due {
  readonly definitionId: string;
  readonly person: number;
  readonly at: number;
}

export interface GroupDue {
  readonly groupId: string;
  readonly definitionIds: readonly string[];
}

/** One identify call to be made. */
export interface Message {
  readonly id: number;
  readonly definitionId: string;
  readonly userId: string;
  /** The trait's value as JSON. */
  readonly value: string;
  /** When it was decided. */
  readonly at: number;
}

export interface PersonName {
  readonly person: number;
  readonly userId: string | null;
}

export interface Member extends PersonName {
  /** JSON. */
  readonly value: string;
  /** When it was decided that the person is a member; null where that was not stored yet. */
  readonly since: number | null;
}

/** A member's place in the order of joining. */
export type MemberPlace = Pick<Member, 'since' | 'person'>;

/** An event's place among the events of a person. */
export type EventPlace = Pick<PersonEvent, 'at' | 'messageId'>;

/** Persons by their numbers: after < number ≤ upTo. */
export interface PersonRange {
  readonly after: number;
  readonly upTo: number;
}

export interface Counted {
  readonly count: number;
  readonly persons: number;
  readonly sample: readonly PersonName[];
}

export interface Size {
  readonly at: number;
  readonly size: number;
}
