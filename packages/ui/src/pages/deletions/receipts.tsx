import { Button, Center, SegmentedControl, Skeleton } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import type { Regulation } from '../../../../server/src/admin/contract.ts';
import { regulationsApi } from '../../api/regulations.ts';
import { choices } from '../../components/choices.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { pagedRows } from '../../components/paged-rows.ts';
import { Section } from '../../components/section.tsx';
import { count } from '../../format/number.ts';
import { SubjectCard } from './subject-card.tsx';

const route = getRouteApi('/shell/deletions/$regulationId');

/** What became of each user at each source and destination; all, or those of whom something failed. */
export function Receipts({ regulation }: { readonly regulation: Regulation }): ReactElement {
  const { show } = route.useSearch();
  const navigate = route.useNavigate();
  const isNarrowed = show === 'failed';
  const list = useInfiniteQuery(regulationsApi.subjects(regulation.id, isNarrowed ? { notice: 'failed' } : {}));
  const { rows, error, onRetry, onMore, loadingMore } = pagedRows(list);
  return (
    <Section
      id="receipts"
      title="Users and receipts"
      gap="sm"
      aside={
        <SegmentedControl
          size="xs"
          aria-label="Which users are shown"
          value={isNarrowed ? 'failed' : 'all'}
          onChange={(chosen) => void navigate({ search: { show: chosen === 'failed' ? chosen : '' }, replace: true })}
          data={choices({ all: `All ${count(regulation.users)}`, failed: 'Failed' })}
        />
      }
    >
      {rows?.map((subject) => (
        <SubjectCard key={subject.userId} subject={subject} step={regulation.step} />
      ))}
      {rows?.length === 0 && isNarrowed && !onMore && (
        <EmptyState icon={IconCircleCheck} title="Nothing has failed">
          Every delete message that has ended was taken.
        </EmptyState>
      )}
      {error && <ErrorState error={error} onRetry={onRetry} />}
      {!rows && !error && <Skeleton height={160} />}
      {onMore && (
        <Center>
          <Button variant="default" size="xs" loading={loadingMore} onClick={onMore}>
            Show more users
          </Button>
        </Center>
      )}
    </Section>
  );
}
