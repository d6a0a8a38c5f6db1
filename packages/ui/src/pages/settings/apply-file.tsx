import { Button, Card, Checkbox, Group, Stack, Text, Textarea } from '@mantine/core';
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
import { VariableFields } from './variable-fields.tsx';

interface Planned {
  readonly wish: NewSettings;
  readonly plan: SettingsPlan;
}

/** A file, what it would change, and only then the change. Typing after a plan takes the plan away. */
export function ApplyFile(): ReactElement {
  const [planned, setPlanned] = useState<Planned | null>(null);
  const [refusal, setRefusal] = useState<unknown>(null);
  const client = useQueryClient();
  const input = useRef<HTMLTextAreaElement>(null);
  const plan = useMutation({ ...settingsFileApi.plan(), gcTime: 0 });
  const forget = (): void => {
    // One that is still to come is of the file as it was.
    plan.reset();
    setPlanned(null);
    setRefusal(null);
  };
  const form = useForm({
    initialValues: { yaml: '', prune: false, setSecrets: false, variables: {} as Record<string, string> },
    onValuesChange: forget,
  });
  const names = variablesOf(form.values.yaml);
  const refuse = (error: unknown): void => {
    setPlanned(null);
    setRefusal(error);
  };
  const show = (wish: NewSettings): void =>
    plan.mutate(wish, { onSuccess: (answer) => setPlanned({ wish, plan: answer }), onError: refuse });
  const notApplied = (error: unknown, wish: NewSettings): void => {
    refuse(error);
    // Some of it may be done.
    void client.invalidateQueries();
    if (problemFrom(error).code === 'changed_meanwhile') show(wish);
  };

  const submit = form.onSubmit(({ yaml, prune, setSecrets, variables }) => {
    setRefusal(null);
    const given = Object.fromEntries(names.flatMap((name) => (variables[name] ? [[name, variables[name]]] : [])));
    show({ yaml, prune, setSecrets, variables: given });
  });
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
              spellCheck={false}
              styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13, lineHeight: 1.55 } }}
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
              description="Of the sections that are in it. Without this, nothing is ever deleted."
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
