import { IconLock } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { EmptyState } from '../components/empty-state.tsx';
import { useMayChange } from './session.ts';

interface ForAdminsProps {
  /** Shown to other roles: `Only admins import files`. */
  readonly title: string;
  /** What other roles can do. */
  readonly otherwise?: string;
  readonly children: ReactNode;
}

/** Shows its children only to admins. */
export function ForAdmins({ title, otherwise, children }: ForAdminsProps): ReactNode {
  if (useMayChange()) return children;
  return (
    <EmptyState icon={IconLock} title={title}>
      {otherwise ?? 'Ask one of them to do it, or to make you an admin.'}
    </EmptyState>
  );
}
