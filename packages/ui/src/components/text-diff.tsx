import { VisuallyHidden } from '@mantine/core';
import { type ReactElement, useMemo } from 'react';
import { type DiffLine, lineDiff } from '../format/line-diff.ts';
import classes from './text-diff.module.css';

interface TextDiffProps {
  readonly before: string;
  readonly after: string;
  readonly label: string;
}

/** Lines around a change that are shown with it. */
const CONTEXT = 3;

const MARKS: Readonly<Record<DiffLine['kind'], string>> = { same: ' ', removed: '−', added: '+' };
const WORDS: Readonly<Record<DiffLine['kind'], string>> = { same: '', removed: 'removed: ', added: 'added: ' };

/** Two texts in one, as version control shows it: what is the same far from a change is left out. */
export function TextDiff({ before, after, label }: TextDiffProps): ReactElement {
  const lines = useMemo(() => lineDiff(before, after), [before, after]);
  const isShown = lines.map((_, at) =>
    lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ kind }) => kind !== 'same'),
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached without a mouse.
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
