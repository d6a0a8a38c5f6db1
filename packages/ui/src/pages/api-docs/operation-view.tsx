import { Accordion, Code, Group, Stack, Text, Title } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { CodeBlock } from '../../components/code-block.tsx';
import { CodeWords } from '../../components/code-words.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { TableSection } from '../../components/data-table.tsx';
import { JsonView } from '../../components/json-view.tsx';
import { Section } from '../../components/section.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import classes from './api-docs-page.module.css';
import type { Answer, Operation, Parameter } from './openapi.ts';
import { curlOf, type Draft, toneOfStatus } from './request.ts';
import { SchemaView } from './schema-view.tsx';
import { exampleOf, limitsInWords, type Schemas, typeInWords } from './schemas.ts';
import { TryIt } from './try-it.tsx';

interface OperationViewProps {
  readonly operation: Operation;
  readonly schemas: Schemas;
}

/** One operation: its description, parameters and answers, its command, and a form to try it. */
export function OperationView({ operation, schemas }: OperationViewProps): ReactElement {
  const { method, path, summary, description, parameters, body, security } = operation;
  const [draft, setDraft] = useState<Draft>(() => ({
    values: {},
    body: body ? JSON.stringify(exampleOf(body, schemas), null, 2) : '',
  }));
  return (
    <Stack gap="lg" component="article" aria-labelledby="operation">
      <div>
        <Title id="operation" tabIndex={-1} style={{ scrollMarginTop: 80, outline: 'none' }}>
          {summary}
        </Title>
        <Group gap={8} mt={4} wrap="nowrap">
          <span className={classes['method']} data-method={method}>
            {method}
          </span>
          <Code style={{ overflowWrap: 'anywhere' }}>{path}</Code>
          <CopyButton value={path} of="the path" />
        </Group>
        {description && (
          <Text mt="xs" maw={760}>
            <CodeWords text={description} />
          </Text>
        )}
        <Text c="dimmed" mt={4}>
          {security.length === 0 ? 'Needs no sign-in.' : `Asks for: ${security.join(' or ')}.`}
        </Text>
      </div>
      {parameters.length > 0 && <ParametersTable parameters={parameters} schemas={schemas} />}
      {body && (
        <Section id="body" title="Body" order={3}>
          <SchemaView schema={body} schemas={schemas} />
        </Section>
      )}
      <Section id="command" title="As a command" order={3}>
        <CodeBlock code={curlOf(operation, draft, window.location.origin)} label="curl command" />
      </Section>
      <TryIt operation={operation} draft={draft} onDraft={setDraft} />
      <AnswersView answers={Object.entries(operation.responses)} schemas={schemas} />
    </Stack>
  );
}

interface ParametersTableProps {
  readonly parameters: readonly Parameter[];
  readonly schemas: Schemas;
}

function ParametersTable({ parameters, schemas }: ParametersTableProps): ReactElement {
  return (
    <TableSection
      id="parameters"
      label="Parameters"
      order={3}
      rows={parameters}
      rowKey={(parameter) => `${parameter.in} ${parameter.name}`}
      columns={[
        {
          header: 'Name',
          cell: ({ name, in: place, required }) => (
            <>
              <Code>{name}</Code>
              <Text variant="aside" mt={2}>
                {place}
                {required && ', required'}
              </Text>
            </>
          ),
        },
        {
          header: 'Type',
          cell: ({ schema = {} }) => <Text>{[typeInWords(schema, schemas), ...limitsInWords(schema)].join(', ')}</Text>,
        },
        {
          header: 'Meaning',
          cell: ({ description }) => <Text c="dimmed">{description ? <CodeWords text={description} /> : '–'}</Text>,
        },
      ]}
    />
  );
}

interface AnswersViewProps {
  readonly answers: readonly (readonly [status: string, answer: Answer])[];
  readonly schemas: Schemas;
}

/** The text that the document generator writes if a route has no description. */
const NOTHING_SAID = 'Default Response';

function AnswersView({ answers, schemas }: AnswersViewProps): ReactElement {
  return (
    <Section id="answers" title="Answers" order={3}>
      <Accordion variant="contained" multiple defaultValue={answers.slice(0, 1).map(([status]) => status)}>
        {answers.map(([status, answer]) => (
          <Accordion.Item key={status} value={status}>
            <Accordion.Control>
              <Group gap="sm" wrap="nowrap">
                <StatusBadge tone={toneOfStatus(Number(status))}>{status}</StatusBadge>
                <Text>
                  <CodeWords text={answer.description === NOTHING_SAID ? 'Done' : answer.description} />
                </Text>
              </Group>
            </Accordion.Control>
            <Accordion.Panel>
              <Content answer={answer} schemas={schemas} />
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </Section>
  );
}

function Content({ answer, schemas }: { readonly answer: Answer; readonly schemas: Schemas }): ReactElement {
  const [[type, { schema }] = [undefined, {}]] = Object.entries(answer.content ?? {});
  if (!schema) {
    return <Text c="dimmed">{type ?? 'No content.'}</Text>;
  }
  return (
    <Stack gap="sm">
      <Text variant="aside">{type}</Text>
      <SchemaView schema={schema} schemas={schemas} />
      {type?.includes('json') && (
        <JsonView text={JSON.stringify(exampleOf(schema, schemas))} label="example of the answer" height={320} />
      )}
    </Stack>
  );
}
