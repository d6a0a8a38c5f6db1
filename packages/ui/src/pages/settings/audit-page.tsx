import { Autocomplete, Button, Group, Select, Text } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import type { AuditEntry } from '../../../../server/src/admin/contract.ts';
import { accountsApi } from '../../api/accounts.ts';
import { auditApi } from '../../api/audit.ts';
import { destinationsApi } from '../../api/destinations.ts';
import { sourcesApi } from '../../api/sources.ts';
import { tokensApi } from '../../api/tokens.ts';
import { clearable } from '../../components/clearable.ts';
import { type Column, DataTable, rowsOf } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Time } from '../../components/time.tsx';
import { TimeFilter } from '../../components/time-filter.tsx';
import { useBounds } from '../../components/use-bounds.ts';
import { useRestedText } from '../../components/use-rested-text.ts';
import { FIELD_WORDS, valueWords } from '../../format/fields.ts';
import { parsed } from '../../format/parsed.ts';
import { type RangeSearch, rangeFrom, searchFor, type Texts } from '../../format/range.ts';
import { withOther } from '../../search.ts';
import { ACTION_GROUPS, auditWords } from './audit-words.ts';

const route = getRouteApi('/shell/settings/audit');

const COLUMNS: readonly Column<AuditEntry>[] = [
  { header: 'What happened', width: '52%', cell: (entry) => <Sentence entry={entry} /> },
  { header: 'When', cell: ({ at }) => <Time at={at} absolute /> },
  { header: 'From', cell: ({ address }) => address },
];

/** Who changed what, and who signed in or failed to. The filter is in the address. */
export function AuditPage(): ReactElement {
  const search: AuditSearch = route.useSearch();
  const { actor, action } = search;
  const range = rangeFrom(search);
  const bounds = useBounds(search, JSON.stringify(range));
  const list = useInfiniteQuery(auditApi.list({ actor, action, ...bounds }));
  const isFiltered = actor !== undefined || action !== undefined || range !== null;
  return (
    <>
      <PageHeader
        title="Audit log"
        documentTitle="Audit log · Settings"
        description="Every change and every sign-in, newest first. Kept for 400 days."
      />
      <AuditFilters search={search} />
      <DataTable
        label="Audit log"
        columns={COLUMNS}
        {...rowsOf(list)}
        empty={
          <EmptyState icon={IconHistory} title={isFiltered ? 'Nothing passes this filter' : 'Nothing happened yet'}>
            {actor === undefined ? null : 'Type the person or token exactly as the log shows it.'}
          </EmptyState>
        }
      />
    </>
  );
}

function Sentence({ entry }: { readonly entry: AuditEntry }): ReactElement {
  const { verb, object } = auditWords(entry);
  return (
    <>
      <Text>
        <b>{entry.actor}</b>{' '}
        <Text span inherit c={entry.action === 'session.refuse' ? 'var(--millrace-bad)' : 'inherit'}>
          {verb}
        </Text>
        {object !== null && (
          <>
            {' '}
            <b>{object}</b>
          </>
        )}
      </Text>
      {entry.values.length > 0 ? (
        <Values values={entry.values} />
      ) : (
        <Text variant="aside">{entry.fields.join(', ')}</Text>
      )}
    </>
  );
}

/** Each field before and after, ids as names. For a secret, or if both read the same, only that it changed. */
function Values({ values }: Pick<AuditEntry, 'values'>): ReactElement {
  const { data: sources = [] } = useQuery(sourcesApi.list());
  const { data: destinations = [] } = useQuery(destinationsApi.list());
  const names = new Map([...sources, ...destinations].map(({ id, name }) => [id, name]));
  for (const { settings } of destinations) for (const { id, url } of settings.webhooks) names.set(id, url);
  return (
    <>
      {values.map(({ field, before, after }) => (
        <Text key={field} variant="aside" lineClamp={4} style={{ overflowWrap: 'anywhere' }}>
          {FIELD_WORDS[field] ?? field}:{' '}
          {before === null && after === null ? (
            'changed'
          ) : (
            <>
              {before !== null && (
                <>
                  <del>{inWords(before, names)}</del> →{' '}
                </>
              )}
              <ins>{inWords(after, names)}</ins>
            </>
          )}
        </Text>
      ))}
    </>
  );
}

/** Truncated JSON is shown as it is. */
function inWords(json: string | null, names: ReadonlyMap<string, string>): string {
  const value = json === null ? null : parsed(json);
  return value === undefined ? String(json) : valueWords(value, names);
}

/** The filters as parameters of the address. */
type AuditSearch = RangeSearch & Texts<'actor' | 'action'>;

function AuditFilters({ search }: { readonly search: AuditSearch }): ReactElement {
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
