import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Regulation } from '../../../../server/src/admin/contract.ts';
import { regulationsApi } from '../../api/regulations.ts';
import { notifyDone, notifyFailed } from '../../components/notify.ts';
import { Time } from '../../components/time.tsx';
import { useMayChange } from '../../shell/session.ts';

/** When the bytes of what was removed left the files; until then, that they wait for the next compaction, and a way not to wait. */
export function DeletionBytes({ regulation: { compactedAt } }: { readonly regulation: Regulation }): ReactElement {
  const mayChange = useMayChange();
  const compact = useMutation(regulationsApi.compact());
  const ask = (): void =>
    compact.mutate(undefined, {
      onSuccess: () => notifyDone('The files are being written without these bytes. This page says when that is done.'),
      onError: notifyFailed('The compaction was not asked for'),
    });
  if (compactedAt !== null) {
    return (
      <>
        <br />
        No file has held their bytes since <Time at={compactedAt} absolute />.
      </>
    );
  }
  return (
    <>
      <br />
      Nothing reads them. Their bytes leave the files with the next compaction.
      {mayChange && (
        <Button variant="default" size="compact-sm" mt={6} loading={compact.isPending} onClick={ask}>
          Compact now
        </Button>
      )}
    </>
  );
}
