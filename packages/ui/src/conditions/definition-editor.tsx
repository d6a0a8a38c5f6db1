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
  /** Id of the audience that is edited; null for a new one, and for a trait. */
  readonly edited: string | null;
  /** The draft as sentences. */
  readonly children: (draft: Draft) => ReactNode;
}

/** A definition as sentences or as JSON: two forms of the same. */
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
  /** Null where the JSON is no definition that sentences could say. */
  readonly draft: Draft | null;
  readonly text: string;
}

/** A definition in both its forms: as sentences, which are a draft, and as JSON. They always say the same. */
interface Editor<Draft> extends Shown<Draft> {
  readonly show: (form: 'sentences' | 'json') => void;
  readonly edit: (draft: Draft) => void;
  readonly editText: (text: string) => void;
  /** Undefined where the text is none. */
  readonly definition: unknown;
  readonly gaps: readonly Gap[];
  /** The places that have a field of their own; none in JSON. */
  readonly fields: Written['fields'];
}

export interface Codec<Draft> {
  readonly read: (definition: unknown) => Draft | null;
  readonly write: (draft: Draft) => Written;
}

/**
 * The editor of a form's value. What is edited is told; a text that is no JSON as an empty text, which is no definition. What the
 * form shows anew is begun anew: it was discarded, or another session has changed it.
 *
 * @param begin what is edited; asked for once.
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
      // What is no definition stays as it was typed.
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
