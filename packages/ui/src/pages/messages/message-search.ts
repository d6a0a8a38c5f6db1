import type { EventFilter } from '../../api/events.ts';
import { openBoundsOf, type RangeSearch, rangeFrom } from '../../format/range.ts';

/** What of a message can be searched for, as it stands in an address. */
export interface MessageSearch extends RangeSearch {
  readonly messageId?: string;
  readonly userId?: string;
  /** Id of the source. */
  readonly source?: string;
  readonly type?: string;
  readonly event?: string;
}

/** As the API takes it. */
export function filterOf(search: MessageSearch, now: number): EventFilter {
  const { messageId, userId, source, type, event } = search;
  const range = rangeFrom(search);
  const hasWords = messageId !== undefined || userId !== undefined || event !== undefined;
  return {
    ...(hasWords && { match: 'prefix' as const }),
    ...(messageId !== undefined && { messageId }),
    ...(userId !== undefined && { userId }),
    ...(source !== undefined && { sourceId: source }),
    ...(type !== undefined && { type }),
    ...(event !== undefined && { event }),
    ...(range && openBoundsOf(range, now)),
  };
}
