import { Alert, SegmentedControl, Textarea } from '@mantine/core';
import { type ReactElement, type ReactNode, useEffect, useRef, useState } from 'react';
import { choices } from '../components/choices.ts';
import { prettyJson } from '../format/json.ts';
import { definitionIn, troubleIn } from './definition-text.ts';
import { type Fields, FieldsContext } from './fields-context.ts';
import { ProblemList } from './problem-list.tsx';
import type { Gap, Written } from './written.ts';

interface DefinitionEditorProps<Draft> {
  readonly editor: Editor<Draft>;
  readonly problems: Fields['problems'];
  /** Id of the audience that is being edited; null for a new one, and for a trait. */
  readonly edited: string | null;
  /** Renders the draft as sentences. */
  readonly children: (draft: Draft) => ReactNode;
}

/** Edits a definition, as sentences or as JSON. */
export function DefinitionEditor<Draft>(props: DefinitionEditorProps<Draft>): ReactElement {
  const { editor, problems, edited, children } = props;
  const { form, show, draft, text, editText, definition, fields } = editor;
  return (
    <FieldsContext value={{ problems, fields, edited }}>
      <SegmentedControl
        mb="sm"
        size="xs"
        aria-label="How to show the definition"
        value={form}
        onChange={(chosen) => show(chosen === 'json' ? 'json' : 'sentences')}
        data={choices({ sentences: 'Sentences', json: 'JSON' })}
      />
      {form === 'sentences' && draft !== null && children(draft)}
      {form === 'sentences' && draft === null && (
        <Alert color="yellow" title="This JSON can’t be shown as sentences.">
          Go back to the JSON and correct it. The errors are listed below it.
        </Alert>
      )}
      {form === 'json' && (
        <>
          <Textarea
            aria-label="Definition as JSON"
            description="The same as the sentences: as the API takes it."
            autosize
            minRows={8}
            maxRows={32}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
            value={text}
            error={
              definition === undefined
                ? troubleIn(text)
                : problems.size > 0 && 'Correct the errors that are listed below.'
            }
            onChange={({ currentTarget }) => editText(currentTarget.value)}
          />
          <ProblemList path="" withPlaces />
        </>
      )}
    </FieldsContext>
  );
}

interface Shown<Draft> {
  readonly form: 'sentences' | 'json';
  /** Null if sentences can't express the JSON. */
  readonly draft: Draft | null;
  readonly text: string;
}

/** A definition in two forms, a draft for sentences and a JSON text. Both have the same content. */
interface Editor<Draft> extends Shown<Draft> {
  readonly show: (form: 'sentences' | 'json') => void;
  readonly edit: (draft: Draft) => void;
  readonly editText: (text: string) => void;
  /** Undefined if the JSON text is not a definition. */
  readonly definition: unknown;
  readonly gaps: readonly Gap[];
  /** The paths that have their own field; empty in JSON. */
  readonly fields: Written['fields'];
}

export interface Codec<Draft> {
  readonly read: (definition: unknown) => Draft | null;
  readonly write: (draft: Draft) => Written;
}

/**
 * The editor of one value of a form. Reports each edit; text that is not JSON is reported as an empty text, which is not
 * a valid definition. Starts again when the form sets another value: the edit was discarded, or another session changed
 * the definition.
 *
 * @param begin returns the value to edit; called once.
 */
export function useDefinitionField<Draft>(
  value: unknown,
  onChange: (definition: unknown) => void,
  begin: () => Draft,
  { read, write }: Codec<Draft>,
): Editor<Draft> {
  const [shown, setShown] = useState<Shown<Draft>>(() => ({ form: 'sentences', draft: begin(), text: '' }));
  const { form, draft, text } = shown;
  const written = draft === null ? null : write(draft);
  const given = JSON.stringify(value);
  const told = useRef(given);
  useEffect(() => {
    if (given === told.current) return;
    told.current = given;
    setShown((before) => ({ ...before, draft: read(JSON.parse(given)), text: prettyJson(given) }));
  }, [given, read]);
  const tell = (definition: unknown = ''): void => {
    told.current = JSON.stringify(definition);
    onChange(definition);
  };
  return {
    ...shown,
    definition: written ? written.definition : definitionIn(text),
    gaps: written?.gaps ?? [],
    fields: (form === 'sentences' && written?.fields) || new Set(),
    show: (next) => {
      // Text that is not a definition stays as it was typed.
      const isWritten = written !== null && next === 'json' && form !== 'json';
      setShown({ form: next, draft, text: isWritten ? prettyJson(JSON.stringify(written.definition)) : text });
    },
    edit: (changed) => {
      setShown({ ...shown, draft: changed });
      tell(write(changed).definition);
    },
    editText: (typed) => {
      const definition = definitionIn(typed);
      setShown({ form, draft: definition === undefined ? null : read(definition), text: typed });
      tell(definition);
    },
  };
}
