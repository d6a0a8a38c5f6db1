import { Button, Select, SimpleGrid, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconFilterOff } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { type ReactElement, useState } from 'react';
import type { LiveEvent, Source } from '../../../../server/src/admin/contract.ts';
import type { LiveFilter } from '../../api/events.ts';
import { textsOf } from '../../search.ts';

interface LiveFiltersProps {
  readonly filter: LiveFilter;
  readonly sources: readonly Source[];
}

const TYPES: readonly LiveEvent['type'][] = ['identify', 'track', 'page', 'screen', 'group', 'alias', 'delete'];

const FIELDS = ['sourceId', 'type', 'event', 'userId', 'text'] as const;

/** Typing takes effect when it rests for this long. */
const REST_MS = 300;

/** The filter, in the address. The service does the filtering. */
export function LiveFilters({ filter, sources }: LiveFiltersProps): ReactElement {
  const navigate = useNavigate();
  const change = (part: { readonly [Name in keyof LiveFilter]?: string | null }): void =>
    void navigate({ to: '/live', search: textsOf({ ...filter, ...part }, FIELDS), replace: true });
  const [typed, setTyped] = useState({
    event: filter.event ?? '',
    userId: filter.userId ?? '',
    text: filter.text ?? '',
  });
  const commit = useDebouncedCallback((name: keyof typeof typed, value: string) => {
    change({ [name]: value });
  }, REST_MS);
  const field = (name: keyof typeof typed, label: string, placeholder: string): ReactElement => (
    <TextInput
      label={label}
      placeholder={placeholder}
      maxLength={200}
      value={typed[name]}
      onChange={({ currentTarget: { value } }) => {
        setTyped({ ...typed, [name]: value });
        commit(name, value);
      }}
    />
  );
  const reset = (): void => {
    setTyped({ event: '', userId: '', text: '' });
    void navigate({ to: '/live', search: {}, replace: true });
  };

  return (
    <search aria-label="Filter">
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="sm" style={{ alignItems: 'end' }}>
        <Select
          label="Source"
          placeholder="All sources"
          clearable
          clearButtonProps={{ 'aria-label': 'Clear the source' }}
          data={sources.map(({ id, name }) => ({ value: id, label: name }))}
          value={filter.sourceId ?? null}
          onChange={(value) => change({ sourceId: value })}
        />
        <Select
          label="Type"
          placeholder="All types"
          clearable
          clearButtonProps={{ 'aria-label': 'Clear the type' }}
          data={TYPES}
          value={filter.type ?? null}
          onChange={(value) => change({ type: value })}
        />
        {field('event', 'Event name', 'Order Completed')}
        {field('userId', 'User id', 'u1')}
        {field('text', 'Text in the body', 'any text')}
        <Button variant="default" leftSection={<IconFilterOff size={16} aria-hidden />} onClick={reset}>
          Reset
        </Button>
      </SimpleGrid>
    </search>
  );
}
