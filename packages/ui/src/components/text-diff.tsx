import { VisuallyHidden } from '@mantine/core';
import { type ReactElement, useMemo } from 'react';
import { type DiffLine, lineDiff } from '../format/line-diff.ts';
import classes from './text-diff.module.css';

interface TextDiffProps {
  readonly before: string;
  readonly after: string;
  readonly label: string;
}

/** Unchanged lines shown around a change. */
const CONTEXT = 3;

const MARKS: Readonly<Record<DiffLine['kind'], string>> = { same: ' ', removed: '−', added: '+' };
const WORDS: Readonly<Record<DiffLine['kind'], string>> = { same: '', removed: 'removed: ', added: 'added: ' };

/** The differences of two texts, as version control shows them. Unchanged lines far from a change are left out. */
export function TextDiff({ before, after, label }: TextDiffProps): ReactElement {
  const lines = useMemo(() => lineDiff(before, after), [before, after]);
  const isShown = lines.map((_, at) =>
    lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ kind }) => kind !== 'same'),
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach an area that scrolls.
    <section className={classes['diff']} aria-label={label} tabIndex={0}>
      <table>
        <tbody>
          {lines.map(({ kind, text, before: old, after: fresh }, at) => {
            const key = `${old} ${fresh}`;
            if (!isShown[at]) {
              return at > 0 && !isShown[at - 1] ? null : (
                <tr key={key} className={classes['gap']}>
                  <td colSpan={4}>⋯</td>
                </tr>
              );
            }
            return (
              <tr key={key} data-kind={kind}>
                <td className={classes['number']}>{old}</td>
                <td className={classes['number']}>{fresh}</td>
                <td aria-hidden="true">{MARKS[kind]}</td>
                <td>
                  <VisuallyHidden>{WORDS[kind]}</VisuallyHidden>
                  {text}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
