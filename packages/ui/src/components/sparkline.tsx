import type { ReactElement } from 'react';
import classes from './sparkline.module.css';

const WIDTH = 120;
const HEIGHT = 28;

/** Values over time as a small line from 0 to the greatest, for beside the number that says it in words. */
export function Sparkline({ values }: { readonly values: readonly number[] }): ReactElement {
  const top = Math.max(1, ...values);
  const step = WIDTH / Math.max(1, values.length - 1);
  const line = values.map(
    (value, i) => `${(i * step).toFixed(1)},${(HEIGHT - 2 - (value / top) * (HEIGHT - 4)).toFixed(1)}`,
  );
  return (
    <svg className={classes['spark']} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} aria-hidden>
      {line.length > 1 && (
        <>
          <polygon points={`0,${HEIGHT} ${line.join(' ')} ${WIDTH},${HEIGHT}`} />
          <polyline points={line.join(' ')} />
        </>
      )}
    </svg>
  );
}
