import { Fieldset, PasswordInput, SimpleGrid } from '@mantine/core';
import type { ReactElement } from 'react';

interface VariableFieldsProps {
  readonly names: readonly string[];
  readonly values: Readonly<Record<string, string>>;
  readonly onChange: (values: Record<string, string>) => void;
}

/** Values for what stands as `${NAME}` in the file. They are secrets more often than not. */
export function VariableFields({ names, values, onChange }: VariableFieldsProps): ReactElement | null {
  if (names.length === 0) return null;
  return (
    <Fieldset legend="Values of the variables in the file">
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        {names.map((name) => (
          <PasswordInput
            key={name}
            label={name}
            autoComplete="off"
            spellCheck={false}
            value={values[name] ?? ''}
            onChange={({ currentTarget: { value } }) => onChange({ ...values, [name]: value })}
          />
        ))}
      </SimpleGrid>
    </Fieldset>
  );
}
