import { Input, SegmentedControl } from '@mantine/core';
import { type ReactElement, useEffect, useMemo, useRef } from 'react';
import { choices } from '../../components/choices.ts';
import { ConditionBuilder } from '../../conditions/condition-builder.tsx';
import { DefinitionEditor } from '../../conditions/definition-editor.tsx';
import { type Draft, newField, newGroup } from '../../conditions/draft.ts';
import { readCondition } from '../../conditions/read.ts';
import { useDefinitionEditor } from '../../conditions/use-definition-editor.ts';
import { writtenCondition } from '../../conditions/written.ts';
import { capitalized } from '../../format/capitalized.ts';
import { parsed } from '../../format/parsed.ts';
import type { SettingsForm } from './settings-values.ts';

const NAME = 'filter';

/** A condition that calls must fit, as sentences or as JSON. */
export function CallFilterField({ form }: { readonly form: SettingsForm }): ReactElement {
  const { filter } = form.values;
  const set = (value: unknown): void => form.setFieldValue(NAME, value);
  return (
    <Input.Wrapper
      label="Filter"
      labelElement="div"
      description="What is asked of a call, in the language of audiences. Notices of deletion always go out."
    >
      <SegmentedControl
        mt="xs"
        mb="sm"
        fullWidth
        aria-label="Which calls go out, by their fields"
        data={choices({ all: 'All calls', some: 'Only those that fit' })}
        value={filter === null ? 'all' : 'some'}
        onChange={(mode) => set(mode === 'all' ? null : writtenCondition(newGroup('all', [newField()])).definition)}
      />
      {filter !== null && <FilterEditor filter={filter} errors={form.errors} onChange={set} />}
    </Input.Wrapper>
  );
}

interface FilterEditorProps {
  readonly filter: unknown;
  readonly errors: SettingsForm['errors'];
  readonly onChange: (filter: unknown) => void;
}

function FilterEditor({ filter, errors, onChange }: FilterEditorProps): ReactElement {
  const editor = useDefinitionEditor(() => readCondition(filter) ?? newGroup('all', [newField()]), {
    read: readCondition,
    write: writtenCondition,
  });
  const { replace } = editor;
  const given = JSON.stringify(filter);
  const told = useRef(given);
  // What the form shows anew: it was discarded, or another session has changed it.
  useEffect(() => {
    if (given === told.current) return;
    told.current = given;
    replace(JSON.parse(given));
  }, [given, replace]);
  const tell = (definition: unknown = ''): void => {
    told.current = JSON.stringify(definition);
    onChange(definition);
  };
  const edit = (draft: Draft): void => {
    editor.edit(draft);
    tell(writtenCondition(draft).definition);
  };
  const editText = (typed: string): void => {
    editor.editText(typed);
    tell(parsed(typed));
  };
  const text = JSON.stringify(Object.entries(errors).map(([path, message]) => [path, String(message)]));
  const problems = useMemo(() => problemsIn(text), [text]);
  return (
    <div>
      <DefinitionEditor editor={{ ...editor, edit, editText }} problems={problems} edited={null}>
        {(draft) => <ConditionBuilder draft={draft} onChange={edit} newLeaf={newField} />}
      </DefinitionEditor>
    </div>
  );
}

/** By the place in the filter. */
function problemsIn(errors: string): ReadonlyMap<string, string> {
  const all = JSON.parse(errors) as [string, string][];
  return new Map(
    all
      .filter(([path]) => path === NAME || path.startsWith(`${NAME}.`))
      .map(([path, message]) => [path.slice(NAME.length + 1), capitalized(message)]),
  );
}
