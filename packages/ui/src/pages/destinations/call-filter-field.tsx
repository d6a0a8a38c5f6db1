import { Input, SegmentedControl } from '@mantine/core';
import { type ReactElement, type RefObject, useEffect } from 'react';
import { choices } from '../../components/choices.ts';
import { ConditionBuilder } from '../../conditions/condition-builder.tsx';
import { DefinitionEditor } from '../../conditions/definition-editor.tsx';
import { type Draft, newField, newGroup } from '../../conditions/draft.ts';
import { problemsOf } from '../../conditions/problems.ts';
import { readCondition } from '../../conditions/read.ts';
import { useDefinitionField } from '../../conditions/use-definition-editor.ts';
import { type Gap, writtenCondition } from '../../conditions/written.ts';
import type { SettingsForm } from './settings-values.ts';

const NAME = 'filter';

interface CallFilterFieldProps {
  readonly form: SettingsForm;
  /** Is given what is missing. */
  readonly gaps: RefObject<readonly Gap[]>;
}

/** A condition that calls must fit, as sentences or as JSON. */
export function CallFilterField({ form, gaps }: CallFilterFieldProps): ReactElement {
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
        onChange={(mode) => set(mode === 'all' ? null : BLANK)}
      />
      {filter !== null && <FilterEditor filter={filter} errors={form.errors} gaps={gaps} onChange={set} />}
    </Input.Wrapper>
  );
}

interface FilterEditorProps extends Pick<CallFilterFieldProps, 'gaps'> {
  readonly filter: unknown;
  readonly errors: SettingsForm['errors'];
  readonly onChange: (filter: unknown) => void;
}

function FilterEditor({ filter, errors, gaps, onChange }: FilterEditorProps): ReactElement {
  const editor = useDefinitionField(filter, onChange, () => read(filter) ?? blank(), { read, write: writtenCondition });
  useEffect(() => {
    gaps.current = editor.gaps;
    return () => {
      gaps.current = [];
    };
  }, [gaps, editor.gaps]);
  const problems = problemsOf(NAME, [], { errors });
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

const BLANK = writtenCondition(blank()).definition;

/** The value of a new condition is not given yet: it is written as an empty text, but it is not one. */
function read(filter: unknown): Draft | null {
  return JSON.stringify(filter) === JSON.stringify(BLANK) ? blank() : readCondition(filter);
}
