import { Card } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { EmptyState } from '../components/empty-state.tsx';

/** In place of an editor, for who may only look. */
export function OnlyAdmins({ what }: { readonly what: string }): ReactElement {
  return (
    <Card padding={0}>
      <EmptyState icon={IconLock} title={`Only admins change ${what}`}>
        Ask one of them to do it, or to make you one.
      </EmptyState>
    </Card>
  );
}
