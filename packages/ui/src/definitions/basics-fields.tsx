import { Code, MultiSelect, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { destinationsApi } from '../api/destinations.ts';
import { IN_MAIN } from '../components/in-main.ts';
import { isWithin } from '../forms/apply-problem.ts';
import { SectionCard } from '../forms/section-card.tsx';
import type { Defined, DefinitionValues } from './kinds.ts';

interface BasicsFieldsProps {
  readonly form: UseFormReturnType<DefinitionValues>;
  readonly existing: Defined | null;
  /** The key that the service would make of the name; null where it is not known. */
  readonly proposedKey: string | null;
  /** The name is told from here. */
  readonly onNamed: (name: string) => void;
  /** What a call carries under the key: `true or false`. */
  readonly value: string;
}

/** Name and key. */
export function BasicsFields({ form, existing, proposedKey, onNamed, value }: BasicsFieldsProps): ReactElement {
  const name = form.getInputProps('name');
  const [isOwnKey, setOwnKey] = useState(existing !== null);
  const key = (isOwnKey && form.values.key) || proposedKey;
  return (
    <SectionCard title="Name">
      <TextInput
        label="Name"
        required
        maxLength={200}
        {...name}
        onBlur={(event) => {
          name.onBlur(event);
          onNamed(event.currentTarget.value);
        }}
      />
      <TextInput
        label="Key"
        description={
          existing ? (
            'The trait that its calls carry. Receivers know it by this, so it stays.'
          ) : (
            <>
              The trait that its calls carry{key ? ': ' : ''}
              {key ? <Code>{`{"${key}": ${value}}`}</Code> : ''}. It is made of the name unless you write one, and can’t
              be changed later.
            </>
          )
        }
        placeholder="Made of the name"
        readOnly={existing !== null}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
        {...form.getInputProps('key')}
        // Until the user writes one, the one that the service makes is shown, and left to it.
        {...(!isOwnKey && { value: proposedKey ?? '' })}
        onChange={(event) => {
          setOwnKey(true);
          form.setFieldValue('key', event.currentTarget.value);
        }}
        onBlur={() => setOwnKey(existing !== null || form.values.key !== '')}
      />
    </SectionCard>
  );
}

/** Where its calls go. */
export function DestinationsField({ form }: { readonly form: UseFormReturnType<DefinitionValues> }): ReactElement {
  const { data: destinations = [] } = useQuery(destinationsApi.list());
  const isNone = form.values.destinationIds.length === 0;
  return (
    <SectionCard title="Destinations">
      <MultiSelect
        label="Its calls go to"
        description="Identify calls, signed and retried like any other. A destination that is connected from the start misses none."
        placeholder={isNone ? 'None: the calls go nowhere' : ''}
        data={destinations.map(({ id, name, enabled }) => ({ value: id, label: enabled ? name : `${name} (off)` }))}
        searchable
        comboboxProps={IN_MAIN}
        nothingFoundMessage="No destination has this name"
        {...form.getInputProps('destinationIds')}
        error={Object.entries(form.errors).find(([path]) => isWithin(path, 'destinationIds'))?.[1]}
      />
    </SectionCard>
  );
}
