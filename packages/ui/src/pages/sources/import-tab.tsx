import { Alert, Button, Code, Stack, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { type ReactElement, useEffect, useState, useSyncExternalStore } from 'react';
import type { Source } from '../../../../server/src/admin/contract.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { download } from '../../components/download.ts';
import { LeaveDialog } from '../../components/leave-dialog.tsx';
import { notifyFailed } from '../../components/notify.ts';
import { Section } from '../../components/section.tsx';
import { count } from '../../format/number.ts';
import { beginningOf } from '../../format/shortened.ts';
import { ForAdmins } from '../../shell/for-admins.tsx';
import { FileImport, type ImportView, type RefusedLine } from './file-import.ts';
import { ImportCard } from './import-card.tsx';
import { SentByNote } from './sent-by-note.tsx';
import { useShownSource } from './shown-source.ts';

/** Sends a file of historical calls from this browser. */
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

const COLUMNS: readonly Column<RefusedLine>[] = [
  { header: 'Line', cell: ({ line }) => count(line), width: '100px' },
  {
    header: 'Why',
    width: '34%',
    cell: ({ code, message }) => (
      <>
        <Text>{message}</Text>
        <Text variant="aside">
          <code>{code}</code>
        </Text>
      </>
    ),
  },
  {
    header: 'What stands there',
    cell: ({ call }) =>
      call === null ? (
        <Text c="dimmed">Not kept</Text>
      ) : (
        <Code block mah={96} tabIndex={0} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {beginningOf(typeof call === 'string' ? call : JSON.stringify(call), SHOWN_CHARACTERS)}
        </Code>
      ),
  },
];

interface RefusedLinesProps {
  readonly fileImport: FileImport;
  readonly view: ImportView;
}

/** The refused lines of the file. A download has all of them. */
function RefusedLines({ fileImport, view: { kept, refused } }: RefusedLinesProps): ReactElement {
  const all = kept?.progress.rejected ?? refused.length;
  const name = `${kept?.name ?? 'import'}.rejected.ndjson`;
  const save = (): void => {
    fileImport
      .refusedFile()
      .then((texts) => download(name, texts, 'application/x-ndjson'))
      .catch(notifyFailed('The refused lines were not read'));
  };
  return (
    <Section
      id="refused-lines"
      title="Refused lines"
      aside={
        <Button variant="default" size="xs" leftSection={<IconDownload size={14} aria-hidden />} onClick={save}>
          Download {all === 1 ? 'it' : `all ${count(all)}`}
        </Button>
      }
    >
      <DataTable label="Refused lines" columns={COLUMNS} rows={refused} rowKey={({ line }) => String(line)} />
      {all > refused.length && (
        <Text c="dimmed">The first {count(refused.length)} are shown. The file has all of them.</Text>
      )}
    </Section>
  );
}

const SHOWN_CHARACTERS = 400;
