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
  const { messageId, userId, source: sourceId, type, event } = search;
  const range = rangeFrom(search);
  const hasWords = messageId !== undefined || userId !== undefined || event !== undefined;
  return {
    ...{ messageId, userId, sourceId, type, event, match: hasWords ? 'prefix' : undefined },
    ...(range && openBoundsOf(range, now)),
  };
}
