import { Button, Group, Select, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactElement, useEffect, useState } from 'react';
import type { Source } from '../../../../server/src/admin/contract.ts';
import { sourcesApi } from '../../api/sources.ts';
import { clearable } from '../../components/clearable.ts';
import { TimeFilter } from '../../components/time-filter.tsx';
import { type RangeSearch, rangeFrom, searchFor, type Texts } from '../../format/range.ts';
import { withOther } from '../../search.ts';

interface MessageFiltersProps {
  readonly search: MessageSearch;
  /** Called with the changed filters; an empty text removes a filter. */
  readonly onChange: (part: MessageSearch) => void;
}

/** The types of calls, and of the delete message. */
export const TYPES = ['track', 'identify', 'page', 'screen', 'group', 'alias', 'delete'].map((type) => ({
  value: type,
  label: type,
}));

/** The sources to choose from. Messages of a deleted source can still be found. */
export function sourceOptions(
  sources: readonly Source[] | undefined,
  chosen: string | undefined,
): ReturnType<typeof withOther> {
  const known = (sources ?? []).map(({ id, name }) => ({ value: id, label: name }));
  return withOther(known, chosen, sources ? `Deleted: ${chosen}` : chosen);
}

/** A choice takes effect at once, a text by Enter or the button. If the address changes in another way, the fields follow it. */
export function MessageFilters({ search, onChange }: MessageFiltersProps): ReactElement {
  const { data: sources } = useQuery(sourcesApi.list());
  const { messageId = '', userId = '', event = '' } = search;
  const [texts, setTexts] = useState({ messageId, userId, event });
  useEffect(() => setTexts({ messageId, userId, event }), [messageId, userId, event]);
  const apply = (part: MessageSearch): void => {
    const typed = Object.entries(texts).map(([name, text]) => [name, text.trim()]);
    const isSame = typed.every(([name, text]) => text === { messageId, userId, event }[name ?? '']);
    onChange({ ...Object.fromEntries(typed), ...(!isSame && { match: '' }), ...part });
  };
  const submit = (submitted: FormEvent): void => {
    submitted.preventDefault();
    apply({});
  };
  const text = (name: keyof typeof texts, label: string, placeholder: string): ReactElement => (
    <TextInput
      label={label}
      placeholder={placeholder}
      flex="1 1 180px"
      maw={380}
      value={texts[name]}
      onChange={(typed) => setTexts({ ...texts, [name]: typed.currentTarget.value })}
    />
  );
  return (
    <search aria-label="Messages">
      <form onSubmit={submit}>
        <Group gap="sm" align="flex-end">
          {text('messageId', 'messageId', 'ajs-next-1732…')}
          {text('userId', search.match === 'exact' ? 'User id, exactly' : 'User id', '019mr8mf4r')}
          {text('event', 'Event', 'Order Completed')}
          <Select
            label="Source"
            w={170}
            placeholder="Any"
            searchable
            {...clearable('Any source')}
            data={sourceOptions(sources, search.source)}
            value={search.source ?? null}
            onChange={(source) => apply({ source: source ?? '' })}
          />
          <Select
            label="Type"
            w={130}
            placeholder="Any"
            {...clearable('Any type')}
            data={withOther(TYPES, search.type)}
            value={search.type ?? null}
            onChange={(type) => apply({ type: type ?? '' })}
          />
          <TimeFilter value={rangeFrom(search)} onChange={(range) => apply(searchFor(range))} />
          <Button type="submit" leftSection={<IconSearch size={16} aria-hidden />}>
            Search
          </Button>
        </Group>
      </form>
    </search>
  );
}

/** The filters of messages as parameters of an address, which routes.tsx explains. `source` is an id. */
export type MessageSearch = RangeSearch & Texts<'messageId' | 'userId' | 'source' | 'type' | 'event' | 'match'>;
