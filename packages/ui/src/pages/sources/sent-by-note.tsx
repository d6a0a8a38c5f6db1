import { IconLock } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { EmptyState } from '../../components/empty-state.tsx';
import { SentBy } from '../../components/sent-by.tsx';

/** Stands in place of what can't be done with a source that the service made itself. */
export function SentByNote({ sentBy }: { readonly sentBy: string }): ReactElement {
  return (
    <EmptyState icon={IconLock} title="Nothing to set up here">
      Its calls are made by <SentBy id={sentBy} />. It is changed and deleted together with that. No client sends under
      it.
    </EmptyState>
  );
}
