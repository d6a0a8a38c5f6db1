import { Button, Card, Group, Select, SimpleGrid, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useEffect, useRef, useState } from 'react';
import { callRaw, type RawAnswer } from '../../api/raw-call.ts';
import { sourcesApi } from '../../api/sources.ts';
import { clearable } from '../../components/clearable.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { JsonView } from '../../components/json-view.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { duration } from '../../format/number.ts';
import type { Operation } from './openapi.ts';
import { addressOf, type Draft, missingOf, toneOfStatus } from './request.ts';

interface TryItProps {
  readonly operation: Operation;
  readonly draft: Draft;
  readonly onDraft: (draft: Draft) => void;
}

/** Sends the call for real, with the user's session. Asks before a call that may change something. */
export function TryIt({ operation, draft, onDraft }: TryItProps): ReactElement {
  const { method, parameters, body, security } = operation;
  const takesWriteKey = security.includes('writeKey');
  const queryClient = useQueryClient();
  const [asking, { open, close }] = useDisclosure(false);
  const [sourceId, setSourceId] = useState<string | null>(null);
  const sources = useQuery({ ...sourcesApi.list(), enabled: takesWriteKey });
  const fromOutside = (sources.data ?? []).filter(({ sentBy }) => sentBy === null);
  const source = fromOutside.find(({ id }) => id === sourceId) ?? fromOutside[0];
  const abort = useRef<AbortController>(null);
  useEffect(() => () => abort.current?.abort(), []);

  const address = addressOf(operation, draft);
  const send = useMutation({
    mutationFn: () => {
      abort.current?.abort();
      abort.current = new AbortController();
      const key = takesWriteKey ? { writeKey: source?.writeKey ?? '' } : {};
      return callRaw({ method, address, body: body ? draft.body : null, ...key }, abort.current.signal);
    },
    // Other pages must show what the call changed.
    onSuccess: () => method !== 'GET' && void queryClient.invalidateQueries({ predicate: isNotDocument }),
  });
  const missing = missingOf(operation, draft);
  const fill = (field: string, value: string): void =>
    onDraft({ ...draft, values: { ...draft.values, [field]: value } });

  return (
    <Card component="section" aria-labelledby="try">
      <Title order={3} id="try" mb="xs">
        Try it
      </Title>
      <Stack gap="sm">
        {(parameters.length > 0 || takesWriteKey) && (
          <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="sm">
            {takesWriteKey && (
              <Select
                label="Write key of"
                searchable
                data={fromOutside.map(({ id, name }) => ({ value: id, label: name }))}
                value={source?.id ?? null}
                onChange={setSourceId}
                placeholder="no source yet"
              />
            )}
            {parameters.map(({ name, in: place, required, schema }) => {
              const field = `${place}.${name}`;
              const label = `${name}${required ? ' *' : ''}`;
              const value = draft.values[field] ?? '';
              const choices = schema?.enum?.map(String) ?? (schema?.type === 'boolean' ? ['true', 'false'] : null);
              return choices ? (
                <Select
                  key={field}
                  label={label}
                  {...clearable(`Clear ${name}`)}
                  data={choices}
                  value={value || null}
                  onChange={(chosen) => fill(field, chosen ?? '')}
                />
              ) : (
                <TextInput
                  key={field}
                  label={label}
                  value={value}
                  onChange={({ currentTarget }) => fill(field, currentTarget.value)}
                />
              );
            })}
          </SimpleGrid>
        )}
        {body && (
          <Textarea
            label="Body"
            autosize
            minRows={3}
            maxRows={20}
            value={draft.body}
            onChange={({ currentTarget }) => onDraft({ ...draft, body: currentTarget.value })}
          />
        )}
        <Group gap="sm">
          <Button
            loading={send.isPending}
            disabled={missing.length > 0}
            onClick={() => (method === 'GET' ? send.mutate() : open())}
          >
            Send
          </Button>
          <Text c="dimmed">
            {missing.length > 0
              ? `Fill in ${missing.join(', ')} first.`
              : takesWriteKey
                ? 'Sends a real call with the write key of the source.'
                : 'Sent as you, with your session.'}
          </Text>
        </Group>
        <div aria-live="polite">
          {send.error && <ErrorState error={send.error} />}
          {send.data && <RawAnswerView answer={send.data} />}
        </div>
      </Stack>
      <ConfirmDialog
        opened={asking}
        onClose={close}
        title={`Send ${method} ${address}?`}
        action={`Send ${method}`}
        onConfirm={async () => send.mutate()}
      >
        This is a real call to this service, made as you. Its audit log records what it changes.
      </ConfirmDialog>
    </Card>
  );
}

function isNotDocument({ queryKey }: { readonly queryKey: readonly unknown[] }): boolean {
  return queryKey[0] !== 'openapi.json';
}

/** An answer, unchanged. */
function RawAnswerView({ answer }: { readonly answer: RawAnswer }): ReactElement {
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
