import { Group, List, Stack, Text, ThemeIcon } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { UrlCheck, UrlCheckStep } from '../../../server/src/admin/contract.ts';
import { duration } from '../format/number.ts';

const NAMES: Readonly<Record<UrlCheckStep['name'], string>> = {
  url: 'URL',
  headers: 'Headers',
  address: 'Address',
  connect: 'Connection',
  tls: 'Certificate',
  message: 'Test message',
};

/** How far a check of a URL came, step by step, and what the endpoint answered to the test message. */
export function UrlCheckSteps(props: { readonly check: UrlCheck; readonly label: string }): ReactElement {
  const { steps, result } = props.check;
  return (
    <Stack gap={6} mt="sm">
      <List aria-label={props.label} listStyleType="none" spacing={6} center={false} size="sm">
        {steps.map(({ name, ok, ms, message }) => (
          <List.Item key={name} icon={<Mark ok={ok} />} styles={{ itemWrapper: { alignItems: 'flex-start' } }}>
            <Group gap={8} wrap="nowrap" align="baseline">
              <Text span fw={600}>
                {NAMES[name]}
              </Text>
              <Text span variant="aside">
                {duration(ms)}
              </Text>
            </Group>
            <Text c={ok ? 'dimmed' : 'var(--millrace-bad)'} style={{ overflowWrap: 'anywhere' }}>
              {message}
            </Text>
          </List.Item>
        ))}
      </List>
      {result?.answer && (
        <Text variant="aside" style={{ overflowWrap: 'anywhere' }}>
          It answered: <code>{result.answer}</code>
        </Text>
      )}
    </Stack>
  );
}

function Mark({ ok }: { readonly ok: boolean }): ReactElement {
  return (
    <ThemeIcon
      variant="light"
      color={ok ? 'teal' : 'red'}
      size={22}
      radius="xl"
      role="img"
      aria-label={ok ? 'passed' : 'failed'}
    >
      {ok ? <IconCheck size={14} aria-hidden /> : <IconX size={14} aria-hidden />}
    </ThemeIcon>
  );
}
