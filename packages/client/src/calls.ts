/** Destination names, each with whether it gets the call. `All` stands for every destination that is not named. */
export type Integrations = Readonly<Record<string, boolean | object>>;

/** The user of a call: at least one of the two ids, neither empty. */
export type Identity =
  | { readonly userId: string; readonly anonymousId?: string }
  | { readonly userId?: string; readonly anonymousId: string };

/** What every call may carry. */
export interface CommonFields {
  /** When the event happened: a Date or ISO 8601 text. Default: the time of the call. */
  readonly timestamp?: Date | string;
  /** The circumstances of the call, not the user. Its keys replace the same keys of the client's `context`. */
  readonly context?: object;
  /** Its keys replace the same keys of the client's `integrations`. */
  readonly integrations?: Integrations;
  /** At most 100 characters. Default: a random UUID. The service drops a second message with the same id. */
  readonly messageId?: string;
}

export type IdentifyCall = CommonFields & Identity & { readonly traits?: object };

export type GroupCall = CommonFields & Identity & { readonly groupId: string; readonly traits?: object };

export interface AliasCall extends CommonFields {
  /** The new id. */
  readonly userId: string;
  /** The id of the user until now. */
  readonly previousId: string;
  readonly anonymousId?: string;
}

/** The traits that the service knows. Any other trait may be added. */
export interface PageTraits {
  readonly url?: string;
  readonly title?: string;
  readonly referrer?: string;
  readonly path?: string;
  readonly [trait: string]: unknown;
}

/** A page or a screen call. The traits are sent as `properties`. */
export type PageCall = CommonFields &
  Identity & { readonly name?: string; readonly category?: string; readonly traits?: PageTraits };

/** Event names, each with the type of its properties, for a client that allows no other events. */
export type EventMap<Events> = { readonly [Name in keyof Events]: object };

/** Any event name, with any properties. */
export type AnyEvents = Readonly<Record<string, object>>;

/** `properties` may be left out if none of them is required. */
export type TrackCall<Events, Name extends keyof Events> = CommonFields &
  Identity & { readonly event: Name } & (Record<never, never> extends Events[Name]
    ? { readonly properties?: Events[Name] }
    : { readonly properties: Events[Name] });

export type CallType = 'identify' | 'track' | 'page' | 'screen' | 'group' | 'alias';

/** A call in the form in which it is sent: JSON values only. */
export interface Message {
  readonly type: CallType;
  readonly messageId: string;
  readonly timestamp: string;
  readonly userId?: string;
  readonly anonymousId?: string;
  readonly [field: string]: unknown;
}

/** Messages, counted by how they ended. */
export interface Counts {
  readonly delivered: number;
  readonly failed: number;
}
