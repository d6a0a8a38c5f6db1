import { Code, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { CodeWords } from '../../components/code-words.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Section } from '../../components/section.tsx';
import type { Parameter } from './openapi.ts';
import { limitsInWords, type Schemas, typeInWords } from './schemas.ts';

interface ParametersTableProps {
  readonly parameters: readonly Parameter[];
  readonly schemas: Schemas;
}

export function ParametersTable({ parameters, schemas }: ParametersTableProps): ReactElement {
  return (
    <Section id="parameters" title="Parameters" order={3}>
      <DataTable
        label="Parameters"
        rows={parameters}
        rowKey={(parameter) => `${parameter.in} ${parameter.name}`}
        empty={null}
        columns={[
          {
            header: 'Name',
            cell: ({ name, in: place, required }) => (
              <>
                <Code>{name}</Code>
                <Text size="xs" c="dimmed" mt={2}>
                  {place}
                  {required && ', required'}
                </Text>
              </>
            ),
          },
          {
            header: 'Type',
            cell: ({ schema = {} }) => (
              <Text>{[typeInWords(schema, schemas), ...limitsInWords(schema)].join(', ')}</Text>
            ),
          },
          {
            header: 'Meaning',
            cell: ({ description }) => <Text c="dimmed">{description ? <CodeWords text={description} /> : '–'}</Text>,
          },
        ]}
      />
    </Section>
  );
}
