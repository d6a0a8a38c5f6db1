import { Input, SegmentedControl } from '@mantine/core';
import type { ReactElement } from 'react';
import { choices } from '../../components/choices.ts';
import { ConditionBuilder } from '../../conditions/condition-builder.tsx';
import { DefinitionEditor } from '../../conditions/definition-editor.tsx';
import { type Draft, newField, newGroup } from '../../conditions/draft.ts';
import { readCondition } from '../../conditions/read.ts';
import { useDefinitionField } from '../../conditions/use-definition-editor.ts';
import { useProblems } from '../../conditions/use-problems.ts';
import { writtenCondition } from '../../conditions/written.ts';
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
        onChange={(mode) => set(mode === 'all' ? null : writtenCondition(blank()).definition)}
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
  const editor = useDefinitionField(filter, onChange, () => readCondition(filter) ?? blank(), {
    read: readCondition,
    write: writtenCondition,
  });
  const problems = useProblems(NAME, [], { errors });
  return (
    <div>
      <DefinitionEditor editor={editor} problems={problems} edited={null}>
        {(draft) => <ConditionBuilder draft={draft} onChange={editor.edit} newLeaf={newField} />}
      </DefinitionEditor>
    </div>
  );
}

/** What a filter begins with. */
function blank(): Draft {
  return newGroup('all', [newField()]);
}
