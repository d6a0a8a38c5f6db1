import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { statsApi } from '../../api/stats.ts';
import { Sparkline } from '../../components/sparkline.tsx';

/** Calls that a source sent in the last hour, by the minute. */
export function SourceVolume({ sourceId }: { readonly sourceId: string }): ReactElement {
  const { data } = useQuery(statsApi.volumes());
  return <Sparkline values={data?.items.find((item) => item.sourceId === sourceId)?.accepted ?? []} />;
}
