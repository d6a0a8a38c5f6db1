import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { Source } from '../../../../server/src/admin/contract.ts';
import { sourcesApi } from '../../api/sources.ts';

/** The source of the open page. Tabs are shown only after it is loaded. */
export function useShownSource(): Source {
  const { id: sourceId = '' } = useParams({ strict: false });
  return useSuspenseQuery(sourcesApi.one(sourceId)).data;
}
