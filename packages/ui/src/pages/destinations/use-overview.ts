import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import type { DestinationOverview } from '../../../../server/src/admin/contract.ts';
import { destinationsApi } from '../../api/destinations.ts';
import { type Range, rangeFrom } from '../../format/range.ts';

/** The time that a page of a destination shows: the last hour, unless its address says otherwise. */
export function useRange(): Range {
  return rangeFrom(useSearch({ strict: false })) ?? { last: '1h' };
}

/** How the destination goes. The parts of a page ask for the same, so that their numbers are of one moment. */
export function useOverview(destinationId: string): UseQueryResult<DestinationOverview> {
  return useQuery(destinationsApi.overview(destinationId, useRange()));
}
