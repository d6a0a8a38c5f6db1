import { Group, Stack, Switch } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { ReactElement } from 'react';
import { ALERT_RULES, RULE_CODES } from '../../../../server/src/alerts/rules.ts';
import { RuleValue } from '../../forms/rule-value.tsx';
import type { AlertValues } from './alert-drafts.ts';

/** Each rule with its switch and what can be set of it. */
export function RuleFields({ form }: { readonly form: UseFormReturnType<AlertValues> }): ReactElement {
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
            {Object.entries(ALERT_RULES[code].fields).map(([name, { fallback }]) => (
              <RuleValue
                key={name}
                code={code}
                name={name}
                placeholder={fallback}
                disabled={form.values.rules[code]['enabled'] !== true}
                {...form.getInputProps(`rules.${code}.${name}`)}
              />
            ))}
          </Group>
        </Stack>
      ))}
    </>
  );
}
