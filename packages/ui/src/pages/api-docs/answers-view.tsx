import { Accordion, Group, Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { CodeWords } from '../../components/code-words.tsx';
import { JsonView } from '../../components/json-view.tsx';
import { Section } from '../../components/section.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import type { Answer } from './openapi.ts';
import { SchemaView } from './schema-view.tsx';
import { exampleOf, type Schemas } from './schemas.ts';
import { toneOfStatus } from './status-tone.ts';

interface AnswersViewProps {
  readonly answers: readonly (readonly [status: string, answer: Answer])[];
  readonly schemas: Schemas;
}

/** What the document generator says where a route says nothing. */
const NOTHING_SAID = 'Default Response';

export function AnswersView({ answers, schemas }: AnswersViewProps): ReactElement {
  return (
    <Section id="answers" title="Answers" order={3}>
      <Accordion variant="contained" multiple defaultValue={answers.slice(0, 1).map(([status]) => status)}>
        {answers.map(([status, answer]) => (
          <Accordion.Item key={status} value={status}>
            <Accordion.Control>
              <Group gap="sm" wrap="nowrap">
                <StatusBadge tone={toneOfStatus(Number(status))}>{status}</StatusBadge>
                <Text>
                  <CodeWords
                    text={!answer.description || answer.description === NOTHING_SAID ? 'Done' : answer.description}
                  />
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
