import { Box, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import type { Source } from '../../../server/src/admin/contract.ts';
import { ALERT_RULES, RULE_CODES, type Rule, type RuleCode } from '../../../server/src/alerts/rules.ts';
import { alertsApi } from '../api/alerts.ts';
import { choices } from '../components/choices.ts';
import { ruleWords } from '../format/fields.ts';
import { useMayLook } from '../shell/session.ts';
import { RuleValue } from './rule-value.tsx';
import { SectionCard } from './section-card.tsx';

type Rules = Source['alerts'];
type Set = NonNullable<Rules[RuleCode]>;

interface OwnRulesProps {
  readonly of: Rule['of'];
  readonly rules: Rules;
  /** Errors by path: `alerts.waiting.above`. */
  readonly errors: Readonly<Record<string, ReactNode>>;
  readonly onChange: (rules: Rules) => void;
}

const MODES = choices({ all: 'As for all', on: 'On', off: 'Off' });

/** The alert rules that one destination or source sets itself. */
export function OwnRules({ of, rules, errors, onChange }: OwnRulesProps): ReactElement {
  const { data } = useQuery({ ...alertsApi.one(), enabled: useMayLook() });
  const set = (code: RuleCode, { ...own }: Set): void => {
    const { [code]: _, ...others } = rules;
    onChange(Object.keys(own).length === 0 ? others : { ...others, [code]: own });
  };
  return (
    <SectionCard
      title="Alerts"
      description={`When an incident of this ${of} begins. What is set here goes before the rules of all, in Settings, Alerts.`}
    >
      {RULE_CODES.filter((code) => ALERT_RULES[code].of === of).map((code) => (
        <Stack key={code} gap="xs">
          <Group justify="space-between" align="flex-start" gap="xs">
            <Box flex="1 1 16rem">
              <Text fw={600}>{ALERT_RULES[code].title}</Text>
              <Text variant="aside">
                {ALERT_RULES[code].means} {data && forAll(code, data.rules[code])}
              </Text>
            </Box>
            <SegmentedControl
              size="xs"
              aria-label={ALERT_RULES[code].title}
              data={MODES}
              value={modeOf(rules[code])}
              onChange={(mode) => set(code, changed(rules[code], mode))}
            />
          </Group>
          {hasValues(rules[code]) && (
            <Group gap="sm" align="flex-end">
              {Object.entries(ALERT_RULES[code].fields).map(([name, { fallback }]) => (
                <RuleValue
                  key={name}
                  code={code}
                  name={name}
                  value={shown(rules[code]?.[name])}
                  error={errors[`alerts.${code}.${name}`]}
                  placeholder={shown(data?.rules[code][name] ?? fallback)}
                  onChange={(value) => {
                    const { [name]: _, ...others } = rules[code] ?? {};
                    set(code, value === '' ? others : { ...others, [name]: value });
                  }}
                />
              ))}
            </Group>
          )}
        </Stack>
      ))}
    </SectionCard>
  );
}

function forAll(code: RuleCode, rule: Set): string {
  const { enabled, ...values } = rule;
  return enabled === true ? `For all: ${ruleWords(code, values)}.` : 'Off for all.';
}

function modeOf(own: Set | undefined): string {
  if (own?.['enabled'] === undefined) return 'all';
  return own['enabled'] === true ? 'on' : 'off';
}

function changed(own: Set | undefined, mode: string): Set {
  if (mode === 'all') return {};
  return mode === 'on' ? { ...own, enabled: true } : { enabled: false };
}

function hasValues(own: Set | undefined): boolean {
  return own !== undefined && own['enabled'] !== false;
}

function shown(value: boolean | number | string | undefined): number | string {
  return typeof value === 'boolean' || value === undefined ? '' : value;
}
