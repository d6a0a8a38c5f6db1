import type { UseFormReturnType } from '@mantine/form';
import type { WizardDraft } from './wizard-draft.ts';

/** The form that all steps share. */
export type WizardForm = UseFormReturnType<WizardDraft>;
