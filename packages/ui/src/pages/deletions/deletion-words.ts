import type { Regulation } from '../../../../server/src/admin/contract.ts';
import type { Tone } from '../../components/status-badge.tsx';

export const TYPES: Readonly<Record<Regulation['regulationType'], string>> = {
  DELETE_ONLY: 'Delete',
  SUPPRESS_WITH_DELETE: 'Delete and suppress',
};

/** The steps in order, each with its name while it runs. */
export const STEPS: readonly { readonly step: Regulation['step']; readonly name: string; readonly badge: string }[] = [
  { step: 'searching', name: 'Search', badge: 'searching' },
  { step: 'erasing', name: 'Remove', badge: 'removing' },
  { step: 'notifying', name: 'Send out', badge: 'sending out' },
  { step: 'delivering', name: 'Collect receipts', badge: 'collecting receipts' },
  { step: 'finished', name: 'Finish', badge: 'finished' },
];

/** The state in one or two words. A deletion with messages that did not arrive needs attention. */
export function standing({ step, notices }: Regulation): { readonly tone: Tone; readonly words: string } {
  if (notices.failed + notices.filtered > 0) {
    return {
      tone: notices.failed > 0 ? 'bad' : 'warn',
      words: step === 'finished' ? 'finished, not all told' : 'running, not all told',
    };
  }
  const words = STEPS.find((each) => each.step === step)?.badge ?? step;
  return { tone: step === 'finished' ? 'good' : 'busy', words };
}
