import { Button, Code, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { download } from '../../components/download.ts';
import { notifyFailed } from '../../components/notify.ts';
import { Section } from '../../components/section.tsx';
import { count } from '../../format/number.ts';
import { beginningOf } from '../../format/shortened.ts';
import type { FileImport, ImportView, RefusedLine } from './file-import.ts';

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

/** What was not taken of the file, by line; all of it as a file. */
export function RefusedLines({ fileImport, view: { kept, refused } }: RefusedLinesProps): ReactElement {
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
      <DataTable
        label="Refused lines"
        columns={COLUMNS}
        rows={refused}
        rowKey={({ line }) => String(line)}
        empty={null}
      />
      {all > refused.length && (
        <Text c="dimmed">The first {count(refused.length)} are shown. The file has all of them.</Text>
      )}
    </Section>
  );
}

const SHOWN_CHARACTERS = 400;
