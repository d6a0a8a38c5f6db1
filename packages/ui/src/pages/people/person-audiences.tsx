import { Card, Select, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import type { Person } from '../../../../server/src/admin/contract.ts';
import { audiencesApi } from '../../api/audiences.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { Section } from '../../components/section.tsx';
import { WhyView } from '../audiences/why-view.tsx';
import classes from './person.module.css';
import { ValueView } from './value-view.tsx';

/** The audiences the person is in, and the values of computed traits. */
export function PersonAudiences({ person: { audiences, computedTraits } }: { readonly person: Person }): ReactElement {
  return (
    <>
      <Card component="section" aria-labelledby="audiences">
        <Title id="audiences" mb={4}>
          Audiences
        </Title>
        {audiences.length === 0 && <Text c="dimmed">In none of them now.</Text>}
        <ul className={classes['list']}>
          {audiences.map(({ id, name, key }) => (
            <li key={id}>
              <AnchorLink to="/audiences/$id" params={{ id }} fw={500}>
                {name}
              </AnchorLink>
              <Text variant="aside">
                <code>{key}</code>
              </Text>
              <AnchorLink
                from="/people/$personId"
                to="."
                search={{ why: id }}
                hash="why"
                size="xs"
                aria-label={`Why in ${name}?`}
              >
                why in?
              </AnchorLink>
            </li>
          ))}
        </ul>
      </Card>
      {computedTraits.length > 0 && (
        <Card component="section" aria-labelledby="computed-traits">
          <Title id="computed-traits" mb={4}>
            Computed traits
          </Title>
          <ul className={classes['list']}>
            {computedTraits.map(({ id, name, value }) => (
              <li key={id}>
                <AnchorLink to="/traits/$id" params={{ id }} fw={500}>
                  {name}
                </AnchorLink>
                <ValueView value={value} />
              </li>
            ))}
          </ul>
        </Card>
      )}
    </>
  );
}

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
