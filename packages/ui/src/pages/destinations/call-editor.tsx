import { Select, Stack, Textarea } from '@mantine/core';
import { type ReactElement, useRef } from 'react';
import { IN_MAIN } from '../../components/in-main.ts';
import { LineErrors } from '../../components/line-errors.tsx';
import { jsonFault } from '../../format/json-fault.ts';
import { EXAMPLE_CALLS, written } from './example-calls.ts';

interface CallEditorProps {
  readonly text: string;
  readonly onChange: (text: string) => void;
}

/** A call as JSON, from an example on. What is no JSON is said at its line. */
export function CallEditor({ text, onChange }: CallEditorProps): ReactElement {
  const input = useRef<HTMLTextAreaElement>(null);
  const fault = jsonFault(text);
  const example = Object.keys(EXAMPLE_CALLS).find((type) => written(EXAMPLE_CALLS[type] ?? {}) === text);
  return (
    <Stack gap="sm">
      <Select
        label="Example"
        data={Object.keys(EXAMPLE_CALLS)}
        value={example ?? null}
        placeholder="Your own"
        allowDeselect={false}
        maw={240}
        comboboxProps={IN_MAIN}
        onChange={(type) => type !== null && onChange(written(EXAMPLE_CALLS[type] ?? {}))}
      />
      <Textarea
        ref={input}
        label="Payload"
        description="A call as a client sends it, with its type: at most 32 KB. A messageId, times and the rest are added as for any call."
        autosize
        minRows={8}
        maxRows={24}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13, lineHeight: 1.55 } }}
        value={text}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        error={fault && <LineErrors errors={[{ path: '', ...fault }]} input={input} />}
      />
    </Stack>
  );
}
