import { IconTrash } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { DeleteButton } from '../components/delete-button.tsx';
import { count } from '../format/number.ts';
import type { OfKind } from './kinds.ts';

export function DeleteDefinition({ kind, of }: OfKind): ReactElement {
  return (
    <DeleteButton
      kind={kind}
      of={of}
      remove={kind.api.remove()}
      label="Delete"
      icon={<IconTrash size={16} aria-hidden />}
    >
      Its definition and its source are deleted, and what still waits of its calls is recorded as filtered. No call is
      sent for its {count(of.size)} {kind.members}: receivers keep the last <code>{of.key}</code> they got.
    </DeleteButton>
  );
}
