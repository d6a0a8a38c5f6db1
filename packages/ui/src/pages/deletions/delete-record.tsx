import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import type { Regulation } from '../../../../server/src/admin/contract.ts';
import { regulationsApi } from '../../api/regulations.ts';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { notifyDone } from '../../components/notify.ts';
import { many } from '../../format/number.ts';

/** Takes away the evidence, and with it the last that is known of the users; not while the deletion runs. */
export function DeleteRecord({ regulation }: { readonly regulation: Regulation }): ReactElement {
  const { id, users, status, notices, regulationType } = regulation;
  const navigate = useNavigate();
  const remove = useMutation(regulationsApi.remove());
  const confirm = async (): Promise<void> => {
    await remove.mutateAsync(id);
    notifyDone(`The record of ${id} is deleted.`);
    await navigate({ to: '/deletions' });
  };
  return (
    <ConfirmButton
      label="Delete the record"
      button={{
        variant: 'subtle',
        color: 'red',
        idle: status === 'running',
        why: 'Only the record of a finished deletion can be deleted',
      }}
      title={`Delete the record ${id}?`}
      action="Delete the record"
      typeFirst={id}
      onConfirm={confirm}
    >
      The ids of {many(users, 'user')}, the numbers of removed events and every receipt are deleted: download the report
      first if you need evidence.{' '}
      {notices.failed > 0 && `${many(notices.failed, 'delete message')} that failed can't be sent again afterwards. `}
      {regulationType === 'SUPPRESS_WITH_DELETE' && 'The users stay suppressed.'}
    </ConfirmButton>
  );
}
