import { Alert, SegmentedControl, Textarea } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { choices } from '../components/choices.ts';
import { type Fields, FieldsContext } from './fields-context.tsx';
import { ProblemList } from './problem-list.tsx';
import type { DefinitionEditor as Editor } from './use-definition-editor.ts';

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
                ? 'This is no JSON.'
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
