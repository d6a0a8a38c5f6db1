import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { statsApi } from '../../api/stats.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { RangePicker } from '../../components/range-picker.tsx';
import type { Range } from '../../format/range.ts';
import { Figures } from './figures.tsx';
import { FirstRun } from './first-run.tsx';

/** The whole service at a glance, live. Before there is anything to see, the way to it. */
export function OverviewPage(): ReactElement {
  const [range, setRange] = useState<Range>({ last: '1h' });
  const overview = useQuery(statsApi.overview());
  const { data } = overview;
  const isNew = data !== undefined && (data.sources.length === 0 || data.destinations.length === 0);
  return (
    <>
      <PageHeader
        title={isNew ? 'Welcome to Millrace' : 'Overview'}
        documentTitle="Overview"
        description={isNew ? 'Four steps to your first delivery.' : 'What comes in, and what becomes of it.'}
        actions={!isNew && <RangePicker value={range} onChange={setRange} />}
      />
      {isNew ? <FirstRun overview={data} /> : <Figures overview={overview} range={range} />}
    </>
  );
}
