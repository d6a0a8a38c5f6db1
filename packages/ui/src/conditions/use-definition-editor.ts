import { useEffect, useRef, useState } from 'react';
import { prettyJson } from '../format/json.ts';
import { parsed } from '../format/parsed.ts';
import type { Gap, Written } from './written.ts';

interface Shown<Draft> {
  readonly form: 'sentences' | 'json';
  /** Null where the JSON is no definition that sentences could say. */
  readonly draft: Draft | null;
  readonly text: string;
}

/** A definition in both its forms: as sentences, which are a draft, and as JSON. They always say the same. */
export interface DefinitionEditor<Draft> extends Shown<Draft> {
  readonly show: (form: 'sentences' | 'json') => void;
  readonly edit: (draft: Draft) => void;
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
): DefinitionEditor<Draft> {
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
    definition: written ? written.definition : parsed(text),
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
      const definition = parsed(typed);
      setShown({ form, draft: definition === undefined ? null : read(definition), text: typed });
      tell(definition);
    },
  };
}
