import { Group, NumberInput, Stack, Switch, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { ReactElement } from 'react';
import { ALERT_RULES, RULE_CODES, type RuleCode, type RuleField } from '../../../../server/src/alerts/rules.ts';
import type { AlertValues } from './alert-drafts.ts';

interface RuleFieldsProps {
  readonly form: UseFormReturnType<AlertValues>;
}

/** Each rule with its switch and what can be set of it. */
export function RuleFields({ form }: RuleFieldsProps): ReactElement {
  return (
    <>
      {RULE_CODES.map((code) => (
        <Stack key={code} gap="xs" mb="xs">
          <Switch
            label={ALERT_RULES[code].title}
            styles={{ label: { fontWeight: 600 } }}
            description={ALERT_RULES[code].means}
            {...form.getInputProps(`rules.${code}.enabled`, { type: 'checkbox' })}
          />
          <Group gap="sm" pl={46} align="flex-end">
            {Object.entries(ALERT_RULES[code].fields).map(([name, field]) => (
              <OneField key={name} form={form} code={code} name={name} field={field} />
            ))}
          </Group>
        </Stack>
      ))}
    </>
  );
}

interface OneFieldProps extends RuleFieldsProps {
  readonly code: RuleCode;
  readonly name: string;
  readonly field: RuleField;
}

function OneField({ form, code, name, field: { kind, means, fallback } }: OneFieldProps): ReactElement {
  const common = {
    label: means,
    'aria-label': `${ALERT_RULES[code].title}: ${means}`,
    placeholder: String(fallback),
    disabled: form.values.rules[code]['enabled'] !== true,
    w: 210,
    ...form.getInputProps(`rules.${code}.${name}`),
  };
  if (kind === 'duration') return <TextInput autoComplete="off" {...common} />;
  return kind === 'share' ? (
    <NumberInput min={0} max={1} step={0.05} {...common} />
  ) : (
    <NumberInput min={1} allowDecimal={false} thousandSeparator="," {...common} />
  );
}
