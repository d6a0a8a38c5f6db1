import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { DestinationOverview } from '../../../../server/src/admin/contract.ts';
import { destinationsApi } from '../../api/destinations.ts';
import { useRange } from '../../components/range-picker.tsx';

/** The overview of a destination. All parts of a page use the same request, so their numbers are of one moment. */
export function useOverview(destinationId: string): UseQueryResult<DestinationOverview> {
  return useQuery(destinationsApi.overview(destinationId, useRange()));
}
