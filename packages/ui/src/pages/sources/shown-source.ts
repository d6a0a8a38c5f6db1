import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { Source } from '../../../../server/src/admin/contract.ts';
import { sourcesApi } from '../../api/sources.ts';

/** The source whose page is open: the parts of the page are shown once it is there. */
export function useShownSource(): Source {
  const { sourceId = '' } = useParams({ strict: false });
  return useSuspenseQuery(sourcesApi.one(sourceId)).data;
}
