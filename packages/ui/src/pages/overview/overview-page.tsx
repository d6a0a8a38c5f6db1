import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactElement, Suspense, useEffect, useState } from 'react';
import type { Overview } from '../../../../server/src/admin/contract.ts';
import { statsApi } from '../../api/stats.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { RangePicker } from '../../components/range-picker.tsx';
import type { Range } from '../../format/range.ts';
import { useMayLook } from '../../shell/session.ts';
import { Figures } from './figures.tsx';
import { LossesNote } from './losses-note.tsx';

/** Seen once or never: whoever has events does not load it. */
const FirstRun = lazy(async () => ({ default: (await import('../first-run/first-run.tsx')).FirstRun }));

/** What is shown first, and asked for before the page is there. */
export const FIRST_RANGE: Range = { last: '1h' };

/** The whole service at a glance, live. Before there is anything to see, the way to it. */
export function OverviewPage(): ReactElement {
  const [range, setRange] = useState(FIRST_RANGE);
  const overview = useQuery(statsApi.overview(range));
  const { data } = overview;
  const mayLook = useMayLook();
  const isNew = mayLook && data !== undefined && hasNoEvent(data);
  // Whoever began with the steps sees their end, though there is an event then.
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
            <RangePicker value={range} onChange={setRange} />
          )
        }
      />
      <LossesNote />
      {isGuided ? (
        <Suspense fallback={<Skeleton height={420} maw={860} />}>
          <FirstRun overview={data} onDone={() => setGuide('left')} />
        </Suspense>
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
