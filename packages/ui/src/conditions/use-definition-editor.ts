import { useEffect, useMemo, useRef, useState } from 'react';
import { prettyJson } from '../format/json.ts';
import { parsed } from '../format/parsed.ts';
import type { Gap, Written } from './written.ts';

/** A definition in both its forms: as sentences, which are a draft, and as JSON. They always say the same. */
export interface DefinitionEditor<Draft> {
  readonly form: 'sentences' | 'json';
  readonly show: (form: 'sentences' | 'json') => void;
  /** Null where the JSON is no definition that sentences could say. */
  readonly draft: Draft | null;
  readonly edit: (draft: Draft) => void;
  /** Begins anew with another definition. */
  readonly replace: (definition: unknown) => void;
  readonly text: string;
  readonly editText: (text: string) => void;
  /** Undefined where the text is no JSON. */
  readonly definition: unknown;
  readonly gaps: readonly Gap[];
  /** The places that have a field of their own; none in JSON. */
  readonly fields: Written['fields'];
}

export interface Codec<Draft> {
  readonly read: (definition: unknown) => Draft | null;
  readonly write: (draft: Draft) => Written;
}

/** @param begin what is edited; asked for once. */
function useDefinitionEditor<Draft>(begin: () => Draft, { read, write }: Codec<Draft>): DefinitionEditor<Draft> {
  const [state, setState] = useState<State<Draft>>(() => ({ form: 'sentences', draft: begin(), text: '' }));
  const { form, draft, text } = state;
  const written = draft === null ? null : write(draft);
  // The same set while it says the same, so that what shows it need not look again.
  const places = JSON.stringify(form === 'sentences' && written ? [...written.fields] : []);
  const fields = useMemo(() => new Set(JSON.parse(places) as string[]), [places]);
  return {
    form,
    draft,
    text,
    definition: written ? written.definition : parsed(text),
    gaps: written?.gaps ?? [],
    fields,
    show: (next) => {
      // What is no definition stays as it was typed.
      const json = written ? prettyJson(JSON.stringify(written.definition)) : text;
      setState({ ...state, form: next, text: next === 'json' && form !== 'json' ? json : text });
    },
    edit: (changed) => setState({ ...state, draft: changed }),
    replace: (other) => setState({ ...state, draft: read(other), text: prettyJson(JSON.stringify(other)) }),
    editText: (changed) => setState({ ...state, text: changed, draft: readText(changed, read) }),
  };
}

/**
 * The editor of a form's value. What is edited is told; a text that is no JSON as an empty text, which is no definition. What the
 * form shows anew is begun anew: it was discarded, or another session has changed it.
 */
export function useDefinitionField<Draft>(
  value: unknown,
  onChange: (definition: unknown) => void,
  begin: () => Draft,
  codec: Codec<Draft>,
): DefinitionEditor<Draft> {
  const editor = useDefinitionEditor(begin, codec);
  const { replace } = editor;
  const given = JSON.stringify(value);
  const told = useRef(given);
  useEffect(() => {
    if (given === told.current) return;
    told.current = given;
    replace(JSON.parse(given));
  }, [given, replace]);
  const tell = (definition: unknown = ''): void => {
    told.current = JSON.stringify(definition);
    onChange(definition);
  };
  return {
    ...editor,
    edit: (draft) => {
      editor.edit(draft);
      tell(codec.write(draft).definition);
    },
    editText: (typed) => {
      editor.editText(typed);
      tell(parsed(typed));
    },
  };
}

interface State<Draft> {
  readonly form: 'sentences' | 'json';
  readonly draft: Draft | null;
  readonly text: string;
}

function readText<Draft>(text: string, read: (definition: unknown) => Draft | null): Draft | null {
  const definition = parsed(text);
  return definition === undefined ? null : read(definition);
}
