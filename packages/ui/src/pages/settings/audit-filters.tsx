import { Autocomplete, Button, Group, Select, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { accountsApi } from '../../api/accounts.ts';
import type { AuditFilter } from '../../api/audit.ts';
import { tokensApi } from '../../api/tokens.ts';
import { clearButton } from '../../components/clear-button.ts';
import { useRestedText } from '../../components/use-rested-text.ts';
import { localInput } from '../../format/range.ts';
import { textsOf } from '../../search.ts';
import { ACTION_GROUPS } from './audit-words.ts';

const FIELDS = ['actor', 'action', 'from', 'to'] as const;

export function AuditFilters({ filter }: { readonly filter: AuditFilter }): ReactElement {
  const navigate = useNavigate();
  const accounts = useInfiniteQuery(accountsApi.list());
  const tokens = useInfiniteQuery(tokensApi.list());
  const change = (part: { readonly [Name in keyof AuditFilter]?: string | null }): void =>
    void navigate({
      to: '/settings/audit',
      search: (before) => textsOf({ ...before, ...part }, FIELDS),
      replace: true,
    });
  const [actor, type] = useRestedText(filter.actor ?? '', (to) => change({ actor: to }));
  const actors = [
    'admin token',
    'one-time link',
    ...(accounts.data?.pages.flatMap(({ items }) => items.map(({ email }) => email)) ?? []),
    ...(tokens.data?.pages.flatMap(({ items }) => items.map(({ name }) => `token ${name}`)) ?? []),
  ];
  const moment = (end: 'from' | 'to', label: string): ReactElement => (
    <TextInput
      type="datetime-local"
      label={label}
      flex="1 1 190px"
      value={filter[end] === undefined ? '' : localInput(new Date(filter[end]))}
      onChange={({ currentTarget: { value } }) => change({ [end]: value && new Date(value).toISOString() })}
    />
  );
  return (
    <search aria-label="Filter">
      <Group gap="sm" mb="md" align="flex-end">
        <Autocomplete
          label="Person or token"
          placeholder="any"
          flex="2 1 180px"
          data={[...new Set(actors)]}
          maxLength={254}
          value={actor}
          onChange={type}
        />
        <Select
          label="What"
          placeholder="any"
          clearable
          clearButtonProps={clearButton('Clear: What')}
          flex="1 1 140px"
          data={ACTION_GROUPS}
          value={filter.action ?? null}
          onChange={(action) => change({ action: action })}
        />
        {moment('from', 'From')}
        {moment('to', 'To')}
        <Button
          variant="default"
          onClick={() => {
            type('');
            void navigate({ to: '/settings/audit', search: {}, replace: true });
          }}
        >
          Reset
        </Button>
      </Group>
    </search>
  );
}
