import {
  Button,
  Card,
  Checkbox,
  Fieldset,
  Group,
  PasswordInput,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useRef, useState } from 'react';
import type { NewSettings, SettingsPlan } from '../../../../server/src/admin/contract.ts';
import { problemFrom } from '../../api/problem.ts';
import { settingsFileApi } from '../../api/settings-file.ts';
import { ChooseFile } from '../../components/choose-file.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { LeaveDialog } from '../../components/leave-dialog.tsx';
import { LineErrors } from '../../components/line-errors.tsx';
import { variablesOf } from './file-variables.ts';
import { PlanView } from './plan-view.tsx';

/** Takes a file, shows what it would change, and then applies it. Typing after a plan discards the plan. */
export function ApplyFile(): ReactElement {
  const [failure, setFailure] = useState<unknown>(null);
  /** The last plan. It stays visible while a new plan is made. */
  const [planned, setPlanned] = useState<{ readonly wish: NewSettings; readonly plan: SettingsPlan } | null>(null);
  const client = useQueryClient();
  const input = useRef<HTMLTextAreaElement>(null);
  const plan = useMutation({ ...settingsFileApi.plan(), gcTime: 0 });
  const forget = (): void => {
    // Discards a plan that is still being made: it is for the earlier text.
    plan.reset();
    setPlanned(null);
    setFailure(null);
  };
  const form = useForm({
    initialValues: { yaml: '', prune: false, setSecrets: false, variables: {} as Record<string, string> },
    onValuesChange: forget,
  });
  const names = variablesOf(form.values.yaml);
  const ask = (wish: NewSettings): void =>
    plan.mutate(wish, { onSuccess: (made) => setPlanned({ wish, plan: made }), onError: () => setPlanned(null) });
  const notApplied = (error: unknown, wish: NewSettings): void => {
    plan.reset();
    setPlanned(null);
    setFailure(error);
    // After a failure, some changes may have been made.
    void client.invalidateQueries();
    if (problemFrom(error).code === 'changed_meanwhile') ask(wish);
  };

  const submit = form.onSubmit(({ yaml, prune, setSecrets, variables }) => {
    setFailure(null);
    const given = Object.fromEntries(names.flatMap((name) => (variables[name] ? [[name, variables[name]]] : [])));
    ask({ yaml, prune, setSecrets, variables: given });
  });
  const refusal = plan.error ?? failure;
  const errors = refusal === null ? [] : problemFrom(refusal).errors;

  return (
    <>
      <Card component="section" aria-label="The file">
        <form onSubmit={submit}>
          <Stack gap="md">
            <Textarea
              ref={input}
              label="Settings file"
              description="YAML, as the export writes it. What it does not mention stays as it is."
              required
              autosize
              minRows={10}
              maxRows={28}
              {...form.getInputProps('yaml')}
              error={errors.length > 0 && <LineErrors errors={errors} input={input} />}
            />
            <Group>
              <ChooseFile
                accept=".yaml,.yml,application/yaml,text/yaml"
                onText={(text) => form.setFieldValue('yaml', text)}
              />
            </Group>
            <VariableFields
              names={names}
              values={form.values.variables}
              onChange={(variables) => form.setFieldValue('variables', variables)}
            />
            <Checkbox
              label="Delete what is not in the file"
              description="Sources and destinations, where the file has their section. Without this, none of them is deleted."
              {...form.getInputProps('prune', { type: 'checkbox' })}
            />
            <Checkbox
              label="Set shared secrets again where one is set"
              description="A secret can't be read back, so whether it is the same can't be known."
              {...form.getInputProps('setSecrets', { type: 'checkbox' })}
            />
            {refusal !== null && errors.length === 0 && <ErrorState error={refusal} />}
            <Group gap="sm">
              <Button type="submit" loading={plan.isPending}>
                Show what would change
              </Button>
              <Text c="dimmed" role="status">
                {planned && 'The changes are listed below. Nothing is changed yet.'}
              </Text>
            </Group>
          </Stack>
        </form>
      </Card>
      <LeaveDialog when={() => form.isDirty()} title="Leave the file?">
        It is not applied, and what you typed is lost.
      </LeaveDialog>
      {planned && (
        <PlanView {...planned} onApplied={() => form.reset()} onRefused={(error) => notApplied(error, planned.wish)} />
      )}
    </>
  );
}

interface VariableFieldsProps {
  readonly names: readonly string[];
  readonly values: Readonly<Record<string, string>>;
  readonly onChange: (values: Record<string, string>) => void;
}

/** The values of the variables `${NAME}` in the file. Most of them are secrets. */
function VariableFields({ names, values, onChange }: VariableFieldsProps): ReactElement | null {
  if (names.length === 0) return null;
  return (
    <Fieldset legend="Values of the variables in the file">
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        {names.map((name) => (
          <PasswordInput
            key={name}
            label={name}
            value={values[name] ?? ''}
            onChange={({ currentTarget: { value } }) => onChange({ ...values, [name]: value })}
          />
        ))}
      </SimpleGrid>
    </Fieldset>
  );
}
