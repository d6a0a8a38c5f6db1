import { NumberInput, TextInput } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { ALERT_RULES, type RuleCode } from '../../../server/src/alerts/rules.ts';

interface RuleValueProps {
  readonly code: RuleCode;
  /** Name of the field. */
  readonly name: string;
  readonly value?: number | string;
  readonly error?: ReactNode;
  /** The value that holds while the field is empty. */
  readonly placeholder: number | string;
  readonly disabled?: boolean;
  readonly onChange: (value: number | string) => void;
}

/** A field for one value of an alert rule. */
export function RuleValue({ code, name, placeholder, onChange, ...input }: RuleValueProps): ReactElement | null {
  const { title, fields } = ALERT_RULES[code];
  const field = fields[name];
  if (!field) return null;
  const { kind, means } = field;
  const common = {
    ...input,
    label: means,
    'aria-label': `${title}: ${means}`,
    placeholder: String(placeholder),
    w: 210,
  };
  if (kind === 'duration') {
    return <TextInput {...common} onChange={(event) => onChange(event.currentTarget.value)} />;
  }
  return kind === 'share' ? (
    <NumberInput min={0} max={1} step={0.05} {...common} onChange={onChange} />
  ) : (
    <NumberInput min={1} allowDecimal={false} thousandSeparator="," {...common} onChange={onChange} />
  );
}
