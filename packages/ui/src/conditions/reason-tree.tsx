import { Text } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import type { ReactElement, ReactNode } from 'react';
import type { Condition, Reason } from '../../../server/src/admin/contract.ts';
import { Found } from './found.tsx';
import { sentenceOf } from './pieces.ts';
import { place } from './place.ts';
import classes from './reason-tree.module.css';
import { SentencePieces } from './sentence-pieces.tsx';

interface ReasonTreeProps {
  readonly condition: Condition;
  /** Of the condition's own form. */
  readonly reason: Reason;
}

/** A definition as a sentence, each condition with whether it holds and what decides that. */
export function ReasonTree({ condition, reason }: ReasonTreeProps): ReactElement {
  if ('not' in condition && 'not' in reason) {
    return (
      <Judged holds={reason.value} words="not">
        <Parts conditions={[condition.not]} reasons={[reason.not]} />
      </Judged>
    );
  }
  if ('all' in condition && 'all' in reason) {
    return (
      <Judged holds={reason.value} words="All of these">
        <Parts conditions={condition.all} reasons={reason.all} />
      </Judged>
    );
  }
  if ('any' in condition && 'any' in reason) {
    return (
      <Judged holds={reason.value} words="Any of these">
        <Parts conditions={condition.any} reasons={reason.any} />
      </Judged>
    );
  }
  if ('all' in condition || 'any' in condition || 'not' in condition)
    throw new Error('A reason of another definition.');
  return (
    <Judged holds={reason.value} words={<SentencePieces pieces={sentenceOf(condition)} />}>
      <Text component="div" size="xs" c="dimmed">
        <Found reason={reason} />
      </Text>
    </Judged>
  );
}

function Parts(props: {
  readonly conditions: readonly Condition[];
  readonly reasons: readonly Reason[];
}): ReactElement {
  return (
    <ul className={classes['parts']}>
      {props.conditions.map((condition, i) => {
        const reason = props.reasons[i];
        return <li key={place(i)}>{reason && <ReasonTree condition={condition} reason={reason} />}</li>;
      })}
    </ul>
  );
}

interface JudgedProps {
  readonly holds: boolean;
  readonly words: ReactNode;
  readonly children: ReactNode;
}

function Judged({ holds, words, children }: JudgedProps): ReactElement {
  const Icon = holds ? IconCheck : IconX;
  return (
    <div className={classes['judged']}>
      <span className={classes['mark']} data-holds={holds} role="img" aria-label={holds ? 'holds' : 'does not hold'}>
        <Icon size={14} stroke={2.4} aria-hidden />
      </span>
      <div className={classes['words']}>
        <Text component="div">{words}</Text>
        {children}
      </div>
    </div>
  );
}
