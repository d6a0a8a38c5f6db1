import { Text, Title, VisuallyHidden } from '@mantine/core';
import { useDidUpdate } from '@mantine/hooks';
import { IconCheck } from '@tabler/icons-react';
import { type ReactElement, type ReactNode, useRef } from 'react';
import classes from './first-run.module.css';

interface GuidedStepProps {
  /** From 1. */
  readonly number: number;
  /** The step that is open. */
  readonly at: number;
  readonly title: string;
  readonly about: string;
  /** Shown while it is open. */
  readonly children: ReactNode;
}

export function GuidedStep({ number, at, title, about, children }: GuidedStepProps): ReactElement {
  const state = number < at ? 'done' : number === at ? 'open' : 'ahead';
  const isOpen = state === 'open';
  const heading = useRef<HTMLHeadingElement>(null);
  // What had the focus is gone with the step before; the one that opens takes it.
  useDidUpdate(() => {
    if (isOpen) heading.current?.focus();
  }, [isOpen]);
  return (
    <li className={classes['step']} data-state={state} aria-current={isOpen ? 'step' : undefined}>
      <span className={classes['mark']} aria-hidden>
        {state === 'done' ? <IconCheck size={16} stroke={2.5} /> : number}
      </span>
      <div className={classes['body']}>
        <Title size="h3" ref={heading} tabIndex={-1} style={{ outline: 'none' }}>
          {title}
          {state === 'done' && <VisuallyHidden> (done)</VisuallyHidden>}
        </Title>
        <Text c="dimmed">{about}</Text>
        {isOpen && <div className={classes['content']}>{children}</div>}
      </div>
    </li>
  );
}
