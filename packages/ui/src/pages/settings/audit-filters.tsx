import { Autocomplete, Button, Group, Select } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { accountsApi } from '../../api/accounts.ts';
import { tokensApi } from '../../api/tokens.ts';
import { clearable } from '../../components/clearable.ts';
import { TimeFilter } from '../../components/time-filter.tsx';
import { useRestedText } from '../../components/use-rested-text.ts';
import { type RangeSearch, rangeFrom, searchFor } from '../../format/range.ts';
import { withOther } from '../../search.ts';
import { ACTION_GROUPS } from './audit-words.ts';

/** As it stands in an address. */
export type AuditSearch = { readonly actor?: string; readonly action?: string } & RangeSearch;

export function AuditFilters({ search }: { readonly search: AuditSearch }): ReactElement {
  const navigate = useNavigate();
  const accounts = useInfiniteQuery(accountsApi.list());
  const tokens = useInfiniteQuery(tokensApi.list());
  const change = (part: AuditSearch): void =>
    void navigate({ to: '/settings/audit', search: (before) => ({ ...before, ...part }), replace: true });
  const [actor, type] = useRestedText(search.actor ?? '', (to) => change({ actor: to }));
  const actors = [
    'admin token',
    'one-time link',
    ...(accounts.data?.pages.flatMap(({ items }) => items.map(({ email }) => email)) ?? []),
    ...(tokens.data?.pages.flatMap(({ items }) => items.map(({ name }) => `token ${name}`)) ?? []),
  ];
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
          {...clearable('Clear: What')}
          flex="1 1 140px"
          data={withOther(ACTION_GROUPS, search.action)}
          value={search.action ?? null}
          onChange={(action) => change({ action: action ?? '' })}
        />
        <TimeFilter label="When" value={rangeFrom(search)} onChange={(range) => change(searchFor(range))} />
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
