import { Button, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactElement, Suspense, useEffect, useState } from 'react';
import type { Overview } from '../../../../server/src/admin/contract.ts';
import { statsApi } from '../../api/stats.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { RangePicker, useRange } from '../../components/range-picker.tsx';
import { useMayLook } from '../../shell/session.ts';
import { Figures } from './figures.tsx';
import { Problems } from './problems.tsx';

/** Needed only before the first events, so it is loaded only then. */
const FirstRun = lazy(async () => ({ default: (await import('../first-run/first-run.tsx')).FirstRun }));

/** The whole service at a glance, live. Before there is any data, the first steps. */
export function OverviewPage(): ReactElement {
  const range = useRange();
  const overview = useQuery(statsApi.overview(range));
  const { data } = overview;
  const mayLook = useMayLook();
  const isNew = mayLook && data !== undefined && hasNoEvent(data);
  // A user who began the first steps sees them to their end, although there is an event by then.
  const [guide, setGuide] = useState<'unasked' | 'open' | 'left'>('unasked');
  useEffect(() => {
    if (isNew) setGuide((before) => (before === 'unasked' ? 'open' : before));
  }, [isNew]);
  const isGuided = data !== undefined && guide !== 'left' && (isNew || guide === 'open');
  return (
    <>
      <PageHeader
        title={isGuided ? 'Welcome to Millrace' : 'Overview'}
        documentTitle="Overview"
        description={isGuided ? 'Four steps to your first delivery.' : 'What comes in, and what becomes of it.'}
        actions={
          isGuided ? (
            <Button variant="default" onClick={() => setGuide('left')}>
              Skip the steps
            </Button>
          ) : (
            <RangePicker />
          )
        }
      />
      {isGuided ? (
        <Stack gap="md" maw={860}>
          {data.problems.length > 0 && <Problems overview={data} isOld={overview.error !== null} />}
          <Suspense fallback={<Skeleton height={420} />}>
            <FirstRun overview={data} onDone={() => setGuide('left')} />
          </Suspense>
        </Stack>
      ) : (
        <Figures overview={overview} range={range} />
      )}
    </>
  );
}

function hasNoEvent({ sources: all, destinations, counts }: Overview): boolean {
  const sources = all.filter(({ sentBy }) => sentBy === null);
  if (sources.length === 0 || destinations.length === 0) return true;
  return counts.accepted === 0 && sources.every(({ lastEventAt }) => lastEventAt === null);
}
