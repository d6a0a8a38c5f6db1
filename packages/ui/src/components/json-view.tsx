import { SegmentedControl } from '@mantine/core';
import { type ReactElement, useMemo, useState } from 'react';
import { type JsonToken, prettyJson, tokens } from '../format/json.ts';
import { choices } from './choices.ts';
import { CodeBlock } from './code-block.tsx';
import classes from './json-view.module.css';

interface JsonViewProps {
  /** The JSON as it was sent. Text that is not JSON is shown unchanged. */
  readonly text: string;
  readonly label: string;
  readonly height?: number;
}

/** Shows JSON in lines, or unchanged. The lines add only white space: numbers keep their digits. */
export function JsonView({ text, label, height = 480 }: JsonViewProps): ReactElement {
  const [form, setForm] = useState('pretty');
  const shown = useMemo(() => (form === 'pretty' ? prettyJson(text) : text), [form, text]);
  return (
    <CodeBlock
      code={shown}
      label={label}
      height={height}
      controls={
        <SegmentedControl
          size="xs"
          aria-label={`How to show the ${label}`}
          value={form}
          onChange={setForm}
          data={choices({ pretty: 'Pretty', raw: 'Raw' })}
        />
      }
    >
      <span className={form === 'raw' ? classes['raw'] : undefined}>{tokens(shown).map(marked)}</span>
    </CodeBlock>
  );
}

function marked({ kind, text, at }: JsonToken): ReactElement | string {
  if (kind === 'other') return text;
  return (
    <span key={at} className={classes[kind]}>
      {text}
    </span>
  );
}
