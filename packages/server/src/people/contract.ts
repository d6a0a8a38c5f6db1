import type { Position } from '../core/event.ts';
import type { Offsets } from '../core/position.ts';
import type { Versioned } from '../core/revision.ts';
import type { Condition, Job, TraitDefinition } from './definition.ts';
import type { Kind, Person, PersonEvent } from './person.ts';
import type { EventName, EventNamesQuery, Most, SeenTrait } from './seen.ts';

/**
 * The profile store: who is who, what each person did and is, what was decided of them and what they were told.
 *
 * Persons have numbers, which are never used again: those of united persons end. Times are milliseconds since the epoch.
 */
export interface ProfileStore extends ProfileReader {
  /**
   * Runs `work` with all its writes in one transaction: all of it is durable when this resolves, nothing of it when it
   * rejects. One at a time, of all processes. `changed` says whether another process may have written since the last
   * transaction here: what is remembered from then must be read again.
   */
  transaction<T>(work: (writer: ProfileWriter, changed: boolean) => Promise<T>): Promise<T>;

  /**
   * Rewrites the files, so that none holds what was removed before this call. Answers false when it must be asked again,
   * because a reader has them open just now.
   */
  compact(): Promise<boolean>;

  close(): Promise<void>;
}

export interface ProfileReader {
  /** The position up to which each source was taken in, by its id; and each shard of the log, by `shardKey`. */
  positions(): Promise<ReadonlyMap<string, Position>>;

  /** Those of these ids that are known. */
  identities(ids: readonly string[]): Promise<readonly Identity[]>;
  /** Everything these persons are known by. */
  identitiesOf(persons: readonly number[]): Promise<readonly Identity[]>;

  /** The sources whose calls spoke of persons, those of whom any did. */
  sourcesOf(persons: readonly number[]): Promise<ReadonlyMap<number, readonly string[]>>;
  /** Ids that were not joined to a person, the newest first. */
  unjoined(person: number): Promise<readonly Unjoined[]>;
  /** The persons of a range who have several user ids. */
  several(range: PersonRange): Promise<readonly number[]>;
  /** How many ids calls of a source named that were not joined; counted up to `limit`. */
  countUnjoined(sourceId: string, limit: number): Promise<number>;

  /** The user ids of these persons, those that exist. */
  names(persons: readonly number[]): Promise<readonly PersonName[]>;
  /** The persons after a number, by number: at most `limit`, none at the end. */
  namesAfter(after: number, limit: number): Promise<readonly PersonName[]>;
  /** What was decided of persons, under all definitions or those of these ids; those of whom nothing was are left out. */
  states(persons: Persons, of: DefinitionIds): Promise<ReadonlyMap<number, PersonState>>;
  /** What persons are and did, as far as is needed; who has nothing of it is left out. Look-backs end at `now`. */
  facts(persons: Persons, needs: Needs, now: number): Promise<ReadonlyMap<number, PersonFacts>>;
  /** The names of the traits, or the ids of the groups, of those of these persons that have `least` or more. */
  held(kind: HeldKind, persons: readonly number[], least: number): Promise<ReadonlyMap<number, ReadonlySet<string>>>;
  /** The names of the traits of those of these groups that have `least` or more. */
  groupTraits(groupIds: readonly string[], least: number): Promise<ReadonlyMap<string, ReadonlySet<string>>>;
  /** The traits of these groups, as far as a read goes; groups that it did not read whole are left out. */
  traitsOfGroups(groupIds: readonly string[], most: Most): Promise<ReadonlyMap<string, ReadonlyMap<string, unknown>>>;
  /** What user ids were told last, values as JSON by the definition's id; those who were told nothing are left out. */
  lastTold(userIds: readonly string[], of: DefinitionIds): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>>;
  /** Events of a person, newest first: all, or those before one. */
  recentEvents(person: number, limit: number, before?: EventPlace | null): Promise<readonly PersonEvent[]>;
  /** The highest number of a person; 0 when there is none. */
  lastPerson(): Promise<number>;
  /** How many persons there are. */
  persons(): Promise<number>;
  /** Identities whose ids begin with a text, by id; all of them for an empty one. */
  find(prefix: string, limit: number): Promise<readonly Identity[]>;
  /** Traits among `NAMING_TRAITS` whose values begin with a text, in any case of ASCII letters, by value. Both count up to 100 characters. */
  findNames(prefix: string, limit: number): Promise<readonly NamingTrait[]>;
  /** The names that events of a type have, at most `limit`, those that came up last. Names without events are left out. */
  eventNames(query: EventNamesQuery): Promise<readonly EventName[]>;
  /** The properties, as JSON, of the newest events of a kind (of any name: of a few names), those of the future left out. */
  newestProperties(kind: Kind, now: number, most: Most): Promise<readonly string[]>;
  /** The traits of the persons, or of the groups, that came up last: those of one after those of another. */
  newestTraits(of: 'person' | 'group', most: Most): Promise<readonly SeenTrait[]>;
  /** The persons of so many of the newest events of these kinds, those of the future left out: the newest first, each once. */
  latest(events: readonly NeededEvents[], now: number, limit: number): Promise<readonly number[]>;

  definitions(): Promise<readonly Definition[]>;
  /** Sources that audiences and traits send or ever sent under. */
  ownSources(): Promise<ReadonlySet<string>>;

  /** Persons and the definitions to be decided anew, longest due first. */
  due(now: number, limit: number): Promise<readonly Due[]>;
  /** When the first of them is due; null when there is none. */
  nextDue(): Promise<number | null>;

  /** What is to be told, in the order in which it was decided. */
  outbox(limit: number): Promise<readonly Message[]>;
  outboxSize(): Promise<number>;

  /** Members of an audience, or persons with a value of a trait, below a number, the highest first. */
  members(definitionId: string, below: number, limit: number): Promise<readonly Member[]>;
  /** The same, those who joined last first, all or those before one; last those of whom it isn't known. */
  latestMembers(definitionId: string, before: MemberPlace | null, limit: number): Promise<readonly Member[]>;
  /** Those of these persons who are members, in no order. */
  membersAmong(definitionId: string, persons: readonly number[]): Promise<readonly Member[]>;
  /** How many there were at each full hour since a time, oldest first. */
  sizes(definitionId: string, since: number): Promise<readonly Size[]>;
  /** For how many persons of a range a condition holds now, the first of them by number, and how many persons the range has. */
  count(condition: Condition, now: number, range: PersonRange, sample: number): Promise<Counted>;

  /** Whether a rebuild was begun and not ended. */
  rebuilding(): Promise<boolean>;

  /** An erasure that was begun and not ended; null when there is none of this id. */
  erasure(id: string): Promise<ProfileErasure | null>;
  /** Whether there is any. */
  erasing(): Promise<boolean>;
}

export interface ProfileWriter extends ProfileReader {
  setPositions(positions: ReadonlyMap<string, Position>): Promise<void>;
  /** That many numbers of new persons. */
  newPersons(count: number): Promise<readonly number[]>;
  /**
   * Makes persons one: identities, traits (the latest by time, then position), groups and events go over; where that is more than
   * a person may have, the traits that were said longest ago don't. What was
   * decided of the person that ends is forgotten. Each ends once, and into none that ends.
   */
  unite(unions: readonly PersonUnion[]): Promise<void>;
  /** Adds or replaces identities. */
  putIdentities(identities: readonly Identity[]): Promise<void>;
  /** Notes which source spoke of which person; kept as long as the person is. */
  putSeen(seen: readonly Seen[]): Promise<void>;
  /** Notes ids that were not joined, each once for a person; of a person the newest `UNJOINED_OF_A_PERSON` stay. */
  putUnjoined(unjoined: readonly Unjoined[]): Promise<void>;
  /** The user id a person is spoken to by; for a number not used before the person begins. */
  putPersons(persons: readonly PersonName[]): Promise<void>;
  /**
   * Adds what calls said. A trait that is older than the one there is left out, an event that is there already too; of a
   * kind of event the oldest go when a person has too many.
   */
  record(facts: Facts): Promise<Recorded>;

  /** Keeps what was decided at a time, which is when those joined who had no value before; counts the sizes. */
  decide(decisions: readonly Decision[], at: number): Promise<void>;
  /** Puts messages in the outbox; each is what its user id was told last from now on. */
  tell(messages: readonly Omit<Message, 'id'>[]): Promise<void>;
  /** Takes delivered messages out of the outbox, and notes the time for their definitions. */
  told(ids: readonly number[], now: number): Promise<void>;
  /** Has definitions decided anew of these persons at a time, where they are not due earlier. */
  makeDue(dues: readonly Due[]): Promise<void>;
  /** Takes back what was due. */
  notDue(dues: readonly Due[]): Promise<void>;
  /** Makes definitions due for all who belong to a group, of each of these groups. */
  makeGroupsDue(dues: readonly GroupDue[], at: number): Promise<void>;

  /** Adds or replaces a definition; its size stays. */
  putDefinition(definition: Definition): Promise<void>;
  /** Forgets up to `limit` things that were decided under a definition; without any left, it is gone. Answers whether. */
  forget(definitionId: string, limit: number): Promise<boolean>;
  /**
   * Keeps the sizes of the definitions that this hour began with under it, but of those that are being computed, where none is
   * kept yet. Answers whether some were kept under an hour later than the next: a clock was ahead, and its are forgotten.
   */
  keepSizes(hour: number): Promise<boolean>;

  /** Forgets all persons, what was decided of them, and all positions; not what they were told. */
  wipe(): Promise<void>;
  /** A rebuild begins, or ends. */
  setRebuilding(is: boolean): Promise<void>;

  /**
   * Begins an erasure: forgets these persons, what was decided of them, and what was or is to be told to any of its ids.
   * What they did is left to `sweep`, and belongs to no person from now on. Groups stay, with the traits of theirs.
   */
  erase(erasure: ProfileErasure, persons: readonly number[]): Promise<void>;
  /** Removes up to `limit` events of erased persons; answers whether none is left. */
  sweep(limit: number): Promise<boolean>;
  /** Removes up to `limit` events from before a time, kind by kind from the number of one on. `next` is the kind to go on with; null at the end. */
  expireEvents(before: number, from: number, limit: number): Promise<ExpiredEvents>;
  /** Forgets the persons of a range who have no user id, no group, no event, and only traits from before a time. */
  expirePersons(before: number, range: PersonRange): Promise<void>;
  /** Forgets an erasure. */
  endErasure(id: string): Promise<void>;
}

export interface ExpiredEvents {
  /** Whose they were. */
  readonly persons: readonly number[];
  readonly next: number | null;
}

/** Persons that are being erased, and what was known of them: it is kept until nothing of them is left anywhere. */
export interface ProfileErasure {
  /** The regulation's. */
  readonly id: string;
  /** Everything up to these offsets was taken in when they were erased, and nothing after it. */
  readonly through: Offsets;
  /** Of each user who was asked for, in that order: all ids of the person, theirs first. */
  readonly ids: readonly (readonly string[])[];
  /** Of each of them, the sources whose calls spoke of the person. Older versions did not note it. */
  readonly sources?: readonly (readonly string[])[];
}

/** An id that calls carry, as userId, anonymousId or previousId, and the person it stands for. */
export interface Identity {
  readonly id: string;
  readonly person: number;
  /** The earliest time of a call that carried it as userId; null when none did: it can't be spoken to. */
  readonly since: number | null;
  /**
   * The latest time of an alias of a server source that named it: as the new id, or, where no call carried it as userId, as the
   * one left behind, which makes it a user's too. Null when none did.
   */
  readonly aliased: number | null;
}

/** Traits by which people know each other. An index leads from their values to persons: what is added here needs a new one. */
export const NAMING_TRAITS = ['email', 'name', 'firstName', 'lastName', 'username', 'phone'] as const;

export interface NamingTrait {
  readonly person: number;
  readonly trait: string;
  readonly value: unknown;
}

/** A source that spoke of a person. */
export interface Seen {
  readonly person: number;
  readonly sourceId: string;
}

/** An id that a call named beside a person's, and that was not joined to them. */
export interface Unjoined {
  readonly person: number;
  readonly id: string;
  readonly sourceId: string;
  /**
   * `user`: it is another user's, and only a server's alias joins two; `unknown`: no call had carried it, and the alias is
   * none of a server's; `limit`: the person would have more ids than one may have.
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

/** Persons one by one, or all of a range. */
export type Persons = readonly number[] | PersonRange;

export type DefinitionIds = ReadonlySet<string> | 'all';

/** What of a person deciding needs. */
export interface Needs {
  readonly traits: ReadonlySet<string> | 'all';
  /** Groups are read where there is any. */
  readonly groupTraits: ReadonlySet<string>;
  readonly events: readonly NeededEvents[];
}

/** A name of null stands for any. */
export interface NeededEvents extends Kind {
  /** How far back they matter, milliseconds; Infinity for all. */
  readonly lookBack: number;
}

/** What a person is and did. */
export type PersonFacts = Pick<Person, 'traits' | 'groups' | 'events'>;

/** What was decided of a person. */
export interface PersonState extends Pick<Person, 'audiences'> {
  /** Of traits alone: JSON by the definition's id. */
  readonly values: ReadonlyMap<string, string>;
  /** When each definition is to be decided anew. */
  readonly due: ReadonlyMap<string, number>;
}

/** An audience or a computed trait. */
export interface Definition extends Versioned {
  readonly id: string;
  readonly what: { readonly audience: Condition } | { readonly trait: TraitDefinition };
  readonly name: string;
  /** The trait's name in the identify calls. */
  readonly key: string;
  /** The source its calls are sent under. */
  readonly sourceId: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** What is being done for all persons; null when everything is done and only changes are followed. */
  readonly job: Job | null;
  /** Members, or persons with a value. */
  readonly size: number;
  /** When the last of its calls was accepted; null when none was. */
  readonly sentAt: number | null;
}

/** What a person has at most `MOST_OF_A_PERSON` of. */
export type HeldKind = 'traits' | 'groups';

export interface Recorded {
  /** The groups' traits that changed. */
  readonly changes: readonly GroupChange[];
  /** Persons whose oldest events went: they had too many. */
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

export interface GroupChange {
  readonly groupId: string;
  readonly name: string;
}

export interface Decision {
  readonly definitionId: string;
  readonly person: number;
  /** JSON; null when not a member, or no value. */
  readonly value: string | null;
  readonly before: string | null;
  /** When to decide anew; null for never. */
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
  /** When it was decided that they are one; null for those who joined before this was kept. */
  readonly since: number | null;
}

/** Where a member stands among those who joined before and after. */
export type MemberPlace = Pick<Member, 'since' | 'person'>;

/** Where an event stands among a person's. */
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
