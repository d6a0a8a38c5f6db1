import type { EventType } from '../../core/event.ts';
import type { Page } from './page.ts';

export type SearchKind = 'destination' | 'source' | 'audience' | 'trait' | 'person' | 'rejection' | 'message';

/** One thing that a search found. What its kind does not have is null. */
export interface SearchHit {
  kind: SearchKind;
  /** Of a message its messageId, of a person one of their ids; of a rejection its source or sender, and when it was. */
  id: string;
  /** Of a destination, source, audience or trait; of a rejection its code. */
  name: string | null;
  /** Of a message or a rejection. */
  sourceId: string | null;
  /** Of a message. */
  type: EventType | null;
  event: string | null;
  /** Of a message or a person. */
  userId: string | null;
  /** Of a message or a rejection. */
  receivedAt: string | null;
  /** Where the text was found: `messageId`, `payload`, `name`, `writeKey`, the name of a trait… */
  why: string;
  /** What stands there, or its part around the text. */
  excerpt: string | null;
}

export interface SearchPage extends Page<SearchHit> {
  /** All messages received after this time were looked through; null when this page looked through none. */
  searchedTo: string | null;
  /** How many messages this page looked through. */
  searchedEvents: number;
}
