import type { ReactElement } from 'react';
import type { CountDraft } from './draft.ts';
import { WordInput } from './word-input.tsx';
import { WordSelect } from './word-select.tsx';
import { COUNT_WORDS, type CountName, unitOf } from './words.ts';
import { within } from './written.ts';

const CHOICES: Readonly<Record<CountName | 'once', string>> = { once: 'at least once', ...COUNT_WORDS };

/** What a count begins with. */
const TIMES = '2';

interface CountFieldsProps {
  readonly count: CountDraft | null;
  readonly path: string;
  readonly onChange: (count: CountDraft | null) => void;
}

/** How often. */
export function CountFields({ count, path, onChange }: CountFieldsProps): ReactElement {
  const choose = (name: CountName | 'once'): void =>
    onChange(name === 'once' ? null : { name, times: count?.times ?? TIMES });
  return (
    <>
      <WordSelect label="How often" value={count?.name ?? 'once'} choices={CHOICES} path={path} onChange={choose} />
      {count && (
        <>
          <WordInput
            label="Times"
            value={count.times}
            path={within(path, count.name)}
            isNumber
            onChange={(times) => onChange({ ...count, times })}
          />
          <span>{unitOf(count.times, 'time')}</span>
        </>
      )}
    </>
  );
}
