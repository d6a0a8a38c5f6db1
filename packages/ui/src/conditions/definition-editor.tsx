import { Alert, SegmentedControl, Textarea } from '@mantine/core';
import { type ReactElement, type ReactNode, useState } from 'react';
import { choices } from '../components/choices.ts';
import { prettyJson } from '../format/json.ts';
import { definitionIn, troubleIn } from './definition-text.ts';
import { FieldsContext } from './fields-context.ts';
import { ProblemList } from './problem-list.tsx';
import { isDraft, looked, written } from './written.ts';

interface DefinitionEditorProps {
  /** The draft; `json` with a definition that sentences can't express; or an empty text for a text that is no definition. */
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly read: (definition: unknown) => object | null;
  /** The errors by path. */
  readonly problems: ReadonlyMap<string, string>;
  /** Id of the audience that is being edited; null for a new one, and for a trait. */
  readonly edited: string | null;
  /** The draft as sentences. */
  readonly children: ReactNode;
}

const NONE: ReadonlySet<string> = new Set();

/** The value of a form for a definition. */
export function valueFor(definition: unknown, read: DefinitionEditorProps['read']): unknown {
  return read(definition) ?? { json: definition };
}

/** Edits a definition that is a value of a form, as sentences or as JSON. */
export function DefinitionEditor(props: DefinitionEditorProps): ReactElement {
  const { value, onChange, read, problems, edited, children } = props;
  const [form, show] = useState('sentences');
  const [typed, type] = useState({ text: '', of: '' });
  const isShown = form === 'sentences';
  // The typed text stays until the value is another one than it gave.
  const text = typed.of === JSON.stringify(value) ? typed.text : prettyJson(JSON.stringify(written(value)));
  const edit = (changed: string): void => {
    const definition = definitionIn(changed);
    const next = definition === undefined ? '' : valueFor(definition, read);
    type({ text: changed, of: JSON.stringify(next) });
    onChange(next);
  };
  return (
    <FieldsContext value={{ draft: value, onChange, problems, fields: isShown ? looked(value).fields : NONE, edited }}>
      <SegmentedControl
        mb="sm"
        size="xs"
        aria-label="How to show the definition"
        value={form}
        onChange={show}
        data={choices({ sentences: 'Sentences', json: 'JSON' })}
      />
      {isShown && isDraft(value) && children}
      {isShown && !isDraft(value) && (
        <Alert color="yellow" title="This JSON can’t be shown as sentences.">
          {value === '' && troubleIn(text)} Go back to the JSON and correct it.
          <ProblemList path="" withPlaces />
        </Alert>
      )}
      {!isShown && (
        <Textarea
          aria-label="Definition as JSON"
          description="The same as the sentences: as the API takes it."
          autosize
          minRows={8}
          maxRows={32}
          value={text}
          error={value === '' ? troubleIn(text) : problems.size > 0 && 'Correct the errors that are listed below.'}
          onChange={({ currentTarget }) => edit(currentTarget.value)}
        />
      )}
      {!isShown && <ProblemList path="" withPlaces />}
    </FieldsContext>
  );
}
