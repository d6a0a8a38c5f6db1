import { Button, Select, SimpleGrid, TextInput } from '@mantine/core';
import { IconFilterOff } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import type { Source } from '../../../../server/src/admin/contract.ts';
import type { LiveFilter } from '../../api/events.ts';
import { clearable } from '../../components/clearable.ts';
import { useRestedText } from '../../components/use-rested-text.ts';
import { withOther } from '../../search.ts';
import { sourceOptions, TYPES } from '../messages/message-filters.tsx';

interface LiveFiltersProps {
  readonly filter: LiveFilter;
  /** Undefined until they are known. */
  readonly sources: readonly Source[] | undefined;
}

/** The filter, in the address. The service does the filtering. */
export function LiveFilters({ filter, sources }: LiveFiltersProps): ReactElement {
  const navigate = useNavigate();
  const change = (part: { readonly [Name in keyof LiveFilter]: string }): void =>
    void navigate({ to: '/live', search: (before) => ({ ...before, ...part }), replace: true });
  const texts = {
    event: useRestedText(filter.event ?? '', (event) => change({ event })),
    userId: useRestedText(filter.userId ?? '', (userId) => change({ userId })),
    text: useRestedText(filter.text ?? '', (text) => change({ text })),
  };
  const field = (name: keyof typeof texts, label: string, placeholder: string): ReactElement => {
    const [typed, type] = texts[name];
    return (
      <TextInput
        label={label}
        placeholder={placeholder}
        maxLength={200}
        value={typed}
        onChange={(typing) => type(typing.currentTarget.value)}
      />
    );
  };
  const reset = (): void => {
    for (const [, type] of Object.values(texts)) type('');
    void navigate({ to: '/live', search: {}, replace: true });
  };

  return (
    <search aria-label="Filter">
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="sm" style={{ alignItems: 'end' }}>
        <Select
          label="Source"
          placeholder="All sources"
          {...clearable('Clear the source')}
          data={sourceOptions(sources, filter.sourceId)}
          value={filter.sourceId ?? null}
          onChange={(value) => change({ sourceId: value ?? '' })}
        />
        <Select
          label="Type"
          placeholder="All types"
          {...clearable('Clear the type')}
          data={withOther(TYPES, filter.type)}
          value={filter.type ?? null}
          onChange={(value) => change({ type: value ?? '' })}
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
