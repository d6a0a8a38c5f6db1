import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { OverviewSource } from '../../../../server/src/admin/contract.ts';
import { statsApi } from '../../api/stats.ts';
import type { Column } from '../../components/data-table.tsx';

/** A column with a small chart of the last hour. */
export const VOLUME: readonly Column<OverviewSource>[] = [
  { header: 'Volume, 1 h', cell: ({ id }) => <SourceVolume sourceId={id} /> },
];

/** Calls that a source sent in the last hour, by the minute. */
function SourceVolume({ sourceId }: { readonly sourceId: string }): ReactElement {
  const { data } = useQuery(statsApi.volumes());
  return <Sparkline values={data?.items.find((item) => item.sourceId === sourceId)?.accepted ?? []} />;
}

const WIDTH = 120;
const HEIGHT = 28;
const AREA = { fill: 'light-dark(var(--mantine-color-indigo-1), #263063)' };
const LINE = { stroke: 'light-dark(var(--mantine-color-indigo-6), var(--mantine-color-indigo-4))' };

/** A small line chart from 0 to the greatest value. Its content is also in the number beside it. */
function Sparkline({ values }: { readonly values: readonly number[] }): ReactElement {
  const top = Math.max(1, ...values);
  const step = WIDTH / Math.max(1, values.length - 1);
  const line = values.map(
    (value, i) => `${(i * step).toFixed(1)},${(HEIGHT - 2 - (value / top) * (HEIGHT - 4)).toFixed(1)}`,
  );
  return (
    <svg display="block" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} aria-hidden>
      {line.length > 1 && (
        <>
          <polygon points={`0,${HEIGHT} ${line.join(' ')} ${WIDTH},${HEIGHT}`} style={AREA} />
          <polyline points={line.join(' ')} fill="none" strokeWidth={1.5} strokeLinejoin="round" style={LINE} />
        </>
      )}
    </svg>
  );
}
