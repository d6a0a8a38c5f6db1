import { Group, Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { RawAnswer } from '../../api/raw-call.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { JsonView } from '../../components/json-view.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { duration } from '../../format/number.ts';
import { toneOfStatus } from './status-tone.ts';

/** An answer as it came. */
export function RawAnswerView({ answer }: { readonly answer: RawAnswer }): ReactElement {
  const { status, statusText, headers, text, ms, isCut } = answer;
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <StatusBadge tone={toneOfStatus(status)}>{`${status} ${statusText}`.trim()}</StatusBadge>
        <Text c="dimmed">{duration(ms)}</Text>
      </Group>
      <CodeBlock
        label="headers of the answer"
        height={200}
        code={headers.map(([name, value]) => `${name}: ${value}`).join('\n')}
      />
      {text === '' ? (
        <Text c="dimmed">No body.</Text>
      ) : (
        <JsonView text={text} label="body of the answer" height={420} />
      )}
      {isCut && <Text c="dimmed">This is the beginning; the answer goes on.</Text>}
    </Stack>
  );
}
