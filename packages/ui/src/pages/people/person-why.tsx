import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { audiencesApi } from '../../api/audiences.ts';
import { Section } from '../../components/section.tsx';
import { WhyView } from '../audiences/why-view.tsx';

const route = getRouteApi('/shell/people/$personId');

/** Why the person is in an audience or out of it. Left out where there are no audiences. */
export function PersonWhy({ personId }: { readonly personId: string }): ReactElement | null {
  const { why } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: audiences = [] } = useQuery(audiencesApi.names());
  const chosen = audiences.find(({ id }) => id === why)?.id ?? null;
  if (audiences.length === 0) return null;
  return (
    <Section id="why" title="Why in or out?">
      <Select
        aria-label="Audience"
        placeholder="Choose an audience"
        maw={460}
        searchable
        data={audiences.map(({ id, name }) => ({ value: id, label: name }))}
        value={chosen}
        onChange={(id) => void navigate({ search: { why: id ?? '' }, replace: true, resetScroll: false })}
      />
      {chosen !== null && <WhyView audienceId={chosen} personId={personId} />}
    </Section>
  );
}
