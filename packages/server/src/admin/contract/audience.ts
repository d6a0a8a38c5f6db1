import type { Condition, TraitDefinition } from '../../people/definition.ts';
import type { Page } from './page.ts';

export type {
  Condition,
  EventCondition,
  EventSelection,
  GroupTraitCondition,
  MemberCondition,
  Period,
  Scalar,
  Test,
  TraitCondition,
  TraitDefinition,
} from '../../people/definition.ts';

/** What audiences and computed traits have in common. */
interface Defined<D> {
  id: string;
  name: string;
  /** The trait's name in the identify calls; fixed once it is made. */
  key: string;
  definition: D;
  /** The source its identify calls are sent under. */
  sourceId: string;
  /** The destinations they go to. */
  destinationIds: string[];
  /** `live`: every change is followed; `computing`: it is being decided of everybody; `syncing`: every member is told again. */
  state: 'live' | 'computing' | 'syncing';
  /** Of 1, how much of `computing` or `syncing` is done; null while it is live. */
  progress: number | null;
  /** Members, or persons with a value. */
  size: number;
  /** When the last of its calls was accepted; null when none was. */
  sentAt: string | null;
  createdAt: string;
  updatedAt: string;
  /** One more with every change; its `ETag`. */
  revision: number;
}

export type Audience = Defined<Condition>;

export type ComputedTrait = Defined<TraitDefinition>;

interface NewDefined<D> {
  name: string;
  /** Made of the name when absent: `order completed last 30 days` gives `order_completed_last_30days`. */
  key?: string;
  definition: D;
  destinationIds?: string[];
}

export type NewAudience = NewDefined<Condition>;

export type NewComputedTrait = NewDefined<TraitDefinition>;

/** What is absent stays as it is; the key can't be changed. */
interface DefinedChange<D> {
  name?: string;
  definition?: D;
  destinationIds?: string[];
}

export type AudienceChange = DefinedChange<Condition>;

export type ComputedTraitChange = DefinedChange<TraitDefinition>;

/** An audience that is not saved yet. */
export interface AudienceToPreview {
  definition: Condition;
  /** Gives the answer its `key`. */
  name?: string;
}

export interface AudiencePreview {
  /** How many members there would be now. */
  size: number;
  /** How many persons there are. */
  persons: number;
  /** Some of the members. */
  sample: PersonName[];
  /** The key that the name would give; null when there is no name, or none can be made of it. */
  key: string | null;
}

/** A computed trait that is not saved yet, computed for some persons. */
export interface ComputedTraitToPreview {
  definition: TraitDefinition;
  name?: string;
}

export interface ComputedTraitPreview {
  /** Persons who have a value, of those that were looked at, with it. */
  sample: Member[];
  key: string | null;
}

export interface PersonName {
  /** The id they are spoken to by; null for a person whom no call has given a user id. */
  userId: string | null;
  /** One of the ids they are known by: what /api/people/{id} takes. */
  id: string;
}

/** Members that are listed, or found by a text. */
export interface Members extends Page<ListedMember> {
  /** More were found than are listed, or there is too much that begins with the text to look at: a longer one finds them. */
  more: boolean;
}

export interface FoundPerson extends PersonName {
  /** The trait, or null for an id, that the person was found by, and what it says. */
  foundBy: { trait: string | null; value: string };
}

export interface Member extends PersonName {
  /** `true` in an audience; the value of a computed trait. */
  value: unknown;
}

export interface ListedMember extends Member {
  /** When it was decided that they are in; null for those who were before the service kept it. */
  joinedAt: string | null;
  /** What they are known by, the user id first; 10 at most. */
  ids: string[];
  /** Those of `email`, `name`, `firstName`, `lastName`, `username` and `phone` that are known. */
  names: Record<string, unknown>;
}

/** Persons that a text or a trait found. */
export interface FoundPeople extends Page<FoundPerson> {
  /** There are others that the text finds: a longer one finds them. */
  more: boolean;
  /** Of 1, how much of all persons was looked through for a trait up to the end of this page; null for a text. */
  searched: number | null;
}

/** Size at a full hour. */
export interface SizePoint {
  at: string;
  size: number;
}

/** What a definition may name, or compare with, as calls said it lately. */
export interface Suggestions {
  /** The most frequent first. */
  items: { value: string | number | boolean; count: number }[];
  /** What `count` counts: of traits the persons who have them, of group traits the groups. */
  counted: 'events' | 'persons' | 'groups';
  /** How many were looked at, the newest; null for names of events: of each, the events of the last 7 days, up to 10,000. */
  of: number | null;
}
