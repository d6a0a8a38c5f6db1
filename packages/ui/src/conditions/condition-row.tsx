import type { ReactElement } from 'react';
import classes from './builder.module.css';
import { CallFields } from './call-fields.tsx';
import { ConditionActions } from './condition-actions.tsx';
import { ConditionFields } from './condition-fields.tsx';
import type { Draft, GroupDraft } from './draft.ts';
import { NotToggle } from './not-toggle.tsx';
import { ProblemList, useOwnProblems } from './problem-list.tsx';
import { insideNot } from './written.ts';

interface ConditionRowProps {
  readonly draft: Exclude<Draft, GroupDraft>;
  /** Where the service sees it. */
  readonly path: string;
  /** `1.3` */
  readonly number: string;
}

/** One condition as a sentence that is edited in place. */
export function ConditionRow({ draft, path, number }: ConditionRowProps): ReactElement {
  const name = `condition ${number}`;
  const isWrong = useOwnProblems(path).length > 0;
  return (
    <fieldset
      className={classes['row']}
      aria-label={`Condition ${number}`}
      data-condition={draft.key}
      data-wrong={isWrong || undefined}
    >
      <div className={classes['sentence']}>
        <NotToggle draft={draft} name={name} />
        {draft.kind === 'field' ? (
          <CallFields draft={draft} path={insideNot(path, draft.negations)} />
        ) : (
          <ConditionFields draft={draft} path={insideNot(path, draft.negations)} />
        )}
        <ProblemList path={path} />
      </div>
      <ConditionActions draft={draft} name={name} />
    </fieldset>
  );
}
