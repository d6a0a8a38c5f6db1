import { Stepper } from '@mantine/core';
import type { ReactElement } from 'react';
import { STEPS } from './wizard-draft.ts';
import classes from './wizard-steps.module.css';

interface WizardStepsProps {
  readonly step: number;
  /** The last step that can be chosen. */
  readonly open: number;
  readonly onChoose: (step: number) => void;
}

/** How far it has come. Where it is narrow the words of the steps are there for screen readers only: the heading below has them. */
export function WizardSteps({ step, open, onChoose }: WizardStepsProps): ReactElement {
  return (
    <Stepper
      active={step}
      onStepClick={onChoose}
      size="sm"
      wrap={false}
      classNames={{ stepBody: classes['body'] ?? '', separator: classes['separator'] ?? '' }}
      role="group"
      aria-label="Steps"
    >
      {STEPS.map(({ id, label }, i) => (
        <Stepper.Step
          key={id}
          label={label}
          allowStepSelect={i <= open && i !== step}
          aria-current={i === step ? 'step' : undefined}
        />
      ))}
    </Stepper>
  );
}
