/** Destination names to whether they get the call. `All` stands for every destination that is not named. */
export type Integrations = Readonly<Record<string, boolean | object>>;

/** Who a call is about: at least one of the two, neither of them empty. */
export type Identity =
  | { readonly userId: string; readonly anonymousId?: string }
  | { readonly userId?: string; readonly anonymousId: string };

/** What every call may carry. */
export interface CommonFields {
  /** When it happened: a Date or ISO 8601 text. Default: the time of the call. */
  readonly timestamp?: Date | string;
  /** About the circumstances, not the user. Lies over the client's `context`, key by key. */
  readonly context?: object;
  /** Lies over the client's `integrations`, key by key. */
  readonly integrations?: Integrations;
  /** At most 100 characters. Default: a random UUID. The service leaves out a second message of the same id. */
  readonly messageId?: string;
}

export type IdentifyCall = CommonFields & Identity & { readonly traits?: object };

export type GroupCall = CommonFields & Identity & { readonly groupId: string; readonly traits?: object };

export interface AliasCall extends CommonFields {
  /** The new id. */
  readonly userId: string;
  /** The id it had until now. */
  readonly previousId: string;
  readonly anonymousId?: string;
}

/** Known by the service, and any other that is wanted. */
export interface PageTraits {
  readonly url?: string;
  readonly title?: string;
  readonly referrer?: string;
  readonly path?: string;
  readonly [trait: string]: unknown;
}

/** Of a page or a screen. The traits travel as `properties`. */
export type PageCall = CommonFields &
  Identity & { readonly name?: string; readonly category?: string; readonly traits?: PageTraits };

/** Names of events to their properties, for a client that allows no others. */
export type EventMap<Events> = { readonly [Name in keyof Events]: object };

/** Any name, any properties. */
export type AnyEvents = Readonly<Record<string, object>>;

/** `properties` may be left out where none of them is required. */
export type TrackCall<Events, Name extends keyof Events> = CommonFields &
  Identity & { readonly event: Name } & (Record<never, never> extends Events[Name]
    ? { readonly properties?: Events[Name] }
    : { readonly properties: Events[Name] });

export type CallType = 'identify' | 'track' | 'page' | 'screen' | 'group' | 'alias';

/** A call as it is sent: JSON values only. */
export interface Message {
  readonly type: CallType;
  readonly messageId: string;
  readonly timestamp: string;
  readonly userId?: string;
  readonly anonymousId?: string;
  readonly [field: string]: unknown;
}

/** How many messages ended in which way. */
export interface Counts {
  readonly delivered: number;
  readonly failed: number;
}
