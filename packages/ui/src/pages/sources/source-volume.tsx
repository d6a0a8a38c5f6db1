import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { statsApi } from '../../api/stats.ts';
import { Sparkline } from '../../components/sparkline.tsx';
import { endedBuckets } from '../overview/ended-buckets.ts';

/** Its picture changes by the minute, so it needs asking for less often than the numbers beside it. */
const EVERY_MS = 30_000;

/** Calls that a source sent in the last hour, by the minute. */
export function SourceVolume({ sourceId }: { readonly sourceId: string }): ReactElement {
  const { data } = useQuery({ ...statsApi.over({ last: '1h' }, { sourceId }), refetchInterval: EVERY_MS });
  return <Sparkline values={data ? endedBuckets(data).map(({ accepted }) => accepted) : []} />;
}
