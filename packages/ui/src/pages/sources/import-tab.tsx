import { Alert, Stack } from '@mantine/core';
import { type ReactElement, useEffect, useState, useSyncExternalStore } from 'react';
import type { Source } from '../../../../server/src/admin/contract.ts';
import { LeaveDialog } from '../../components/leave-dialog.tsx';
import { ForAdmins } from '../../shell/for-admins.tsx';
import { FileImport } from './file-import.ts';
import { ImportCard } from './import-card.tsx';
import { RefusedLines } from './refused-lines.tsx';
import { SentByNote } from './sent-by-note.tsx';
import { useShownSource } from './shown-source.ts';

/** A file of historical calls, sent from this browser. */
export function SourceImportTab(): ReactElement {
  const source = useShownSource();
  return (
    <ForAdmins title="Only admins import files" otherwise="It takes the source's write key.">
      {source.sentBy !== null ? <SentByNote sentBy={source.sentBy} /> : <Importing key={source.id} source={source} />}
    </ForAdmins>
  );
}

function Importing({ source }: { readonly source: Source }): ReactElement {
  const [fileImport] = useState(() => new FileImport(source.id));
  const view = useSyncExternalStore(fileImport.subscribe, fileImport.view);
  useEffect(() => {
    void fileImport.look();
    return () => fileImport.pause();
  }, [fileImport]);
  const isRunning = view.phase === 'running' || view.phase === 'pausing';
  return (
    <Stack gap="md">
      {!source.enabled && (
        <Alert color="yellow" title="This source is off">
          Its calls are refused. Switch it on first.
        </Alert>
      )}
      {source.allowedOrigins.length > 0 && !source.allowedOrigins.includes(window.location.origin) && (
        <Alert color="yellow" title="This page may not send to this source">
          Add {window.location.origin} to the allowed origins of its settings, or import on the command line.
        </Alert>
      )}
      <ImportCard source={source} fileImport={fileImport} view={view} />
      {view.refused.length > 0 && <RefusedLines fileImport={fileImport} view={view} />}
      <LeaveDialog when={() => isRunning} title="Pause the import?">
        The file is sent by this page: leaving ends it here. To go on, open this page again and choose the same file.
      </LeaveDialog>
    </Stack>
  );
}
