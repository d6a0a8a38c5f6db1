import { Alert, Card, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactElement } from 'react';
import type { TestedUrl, TestResult } from '../../../../server/src/admin/contract.ts';
import { JsonView } from '../../components/json-view.tsx';
import { reasonInWords } from '../../format/reasons.ts';
import { AttemptPanel } from '../messages/attempt-panel.tsx';
import classes from '../messages/message.module.css';
import { TestedBadge } from './tested-badge.tsx';

const NEXT = {
  success: 'A delivery would be done.',
  temporary: 'A delivery would be tried again.',
  permanent: 'A delivery would fail here, and not be tried again.',
} as const;

/** What a test sent to each URL, and what came back; one is open at a time, first of all one that failed. */
export function TestAnswer({ result }: { readonly result: TestResult }): ReactElement {
  const { urls, body, filtered, clause } = result;
  const first = urls.find((tested) => tested.class !== 'success') ?? urls[0];
  return (
    <Stack gap="sm">
      {filtered !== null && (
        <Alert color="yellow" title="A delivery would not have been made">
          {reasonInWords(filtered)} {clause !== null && <code>{clause}</code>}
        </Alert>
      )}
      {urls.map((tested) => (
        <Tested key={tested.url} tested={tested} body={body} isOpen={tested === first} />
      ))}
      <Card component="section" aria-label="Body">
        <Title order={3} mb="xs">
          Body
        </Title>
        <JsonView text={body} label="body as it was sent" height={360} />
      </Card>
    </Stack>
  );
}

interface TestedProps {
  readonly tested: TestedUrl;
  readonly body: string;
  readonly isOpen: boolean;
}

function Tested({ tested, body, isOpen }: TestedProps): ReactElement {
  const { url, class: outcome, headers } = tested;
  return (
    <Card component="section" aria-label={url} padding="sm">
      <details className={classes['lane']} name="tested" open={isOpen}>
        <summary>
          <Group component="span" gap="sm" display="inline-flex">
            <Text size="md" component="span" fw={600}>
              {url}
            </Text>
            <TestedBadge {...tested} />
          </Group>
          <Text>{NEXT[outcome]}</Text>
        </summary>
        <Stack gap="sm" mt="sm">
          <AttemptPanel attempt={tested} request={{ url, headers, changedSince: false }} body={body} />
        </Stack>
      </details>
    </Card>
  );
}
