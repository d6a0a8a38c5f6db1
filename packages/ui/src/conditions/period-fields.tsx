import type { ReactElement } from 'react';
import { DAYS, type PeriodDraft } from './draft.ts';
import { WordInput } from './word-input.tsx';
import { WordMoment } from './word-moment.tsx';
import { WordSelect } from './word-select.tsx';
import { within } from './written.ts';

const KINDS = {
  ever: 'at any time',
  last: 'in the last',
  between: 'between',
  since: 'since',
  until: 'before',
} as const;
const UNITS = { lastDays: 'days', lastHours: 'hours' } as const;

interface PeriodFieldsProps {
  readonly during: PeriodDraft;
  readonly path: string;
  readonly onChange: (during: PeriodDraft) => void;
}

/** When. */
export function PeriodFields({ during, path, onChange }: PeriodFieldsProps): ReactElement {
  return (
    <>
      <WordSelect
        label="When"
        value={kindOf(during)}
        choices={KINDS}
        path={path}
        onChange={(kind) => onChange(changed(during, kind))}
      />
      {(during.kind === 'lastDays' || during.kind === 'lastHours') && (
        <>
          <WordInput
            label="How many"
            value={during.length}
            path={within(path, during.kind)}
            isNumber
            onChange={(length) => onChange({ ...during, length })}
          />
          <WordSelect
            label="Unit"
            value={during.kind}
            choices={UNITS}
            onChange={(kind) => onChange({ ...during, kind })}
          />
        </>
      )}
      {during.kind === 'between' && during.from !== null && (
        <WordMoment
          label="From"
          value={during.from}
          path={within(path, 'from')}
          onChange={(from) => onChange({ ...during, from })}
        />
      )}
      {during.kind === 'between' && during.from !== null && during.to !== null && <span>and</span>}
      {during.kind === 'between' && during.to !== null && (
        <WordMoment
          label="To"
          value={during.to}
          path={within(path, 'to')}
          onChange={(to) => onChange({ ...during, to })}
        />
      )}
    </>
  );
}

function kindOf(during: PeriodDraft): keyof typeof KINDS {
  if (during.kind === 'ever') return 'ever';
  if (during.kind !== 'between') return 'last';
  if (during.from !== null && during.to !== null) return 'between';
  return during.from === null ? 'until' : 'since';
}

/** Another kind of period; what is known of its ends stays. */
function changed(during: PeriodDraft, kind: keyof typeof KINDS): PeriodDraft {
  if (kind === 'ever') return { kind: 'ever' };
  if (kind === 'last') return during.kind === 'lastHours' ? during : { kind: 'lastDays', length: DAYS };
  const from = (during.kind === 'between' && during.from) || '';
  const to = (during.kind === 'between' && during.to) || '';
  return { kind: 'between', from: kind === 'until' ? null : from, to: kind === 'since' ? null : to };
}
