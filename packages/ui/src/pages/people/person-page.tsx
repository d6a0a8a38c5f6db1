import { Badge, Grid, Select, Stack, Text } from '@mantine/core';
import { IconMessages, IconUserX } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import type { Person } from '../../../../server/src/admin/contract.ts';
import { audiencesApi } from '../../api/definitions.ts';
import { peopleApi } from '../../api/people.ts';
import { suppressionsApi } from '../../api/suppressions.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { ButtonLink } from '../../components/button-link.tsx';
import { Section } from '../../components/section.tsx';
import { ThingLink } from '../../components/thing-link.tsx';
import { count } from '../../format/number.ts';
import { shortened } from '../../format/shortened.ts';
import { SectionCard } from '../../forms/section-card.tsx';
import { DetailPage } from '../../shell/detail-page.tsx';
import { useMayChange } from '../../shell/session.ts';
import { THINGS } from '../../shell/things.ts';
import { WhyView } from '../audiences/why-view.tsx';
import classes from './person.module.css';
import { PersonEvents } from './person-events.tsx';
import { PersonIdentities } from './person-identities.tsx';
import { PersonGroups, PersonTraits, ValueView } from './person-traits.tsx';

const route = getRouteApi('/shell/people/$id');

/** All data about one person, live. */
export function PersonPage(): ReactElement {
  const { id: personId } = route.useParams();
  return (
    <DetailPage
      kind={THINGS.person}
      one={peopleApi.one}
      missing={<UnknownPerson id={personId} />}
      {...titlesOf(personId)}
      header={(person) => ({
        ...titlesOf(person.userId ?? person.id),
        badge: person.userId === null ? <Badge color="gray">anonymous</Badge> : <Suppressed userId={person.userId} />,
        actions: (
          <>
            {person.userId !== null && (
              <ButtonLink
                to="/messages"
                search={{ userId: person.userId, match: 'exact' }}
                variant="default"
                leftSection={<IconMessages size={16} aria-hidden />}
              >
                Messages
              </ButtonLink>
            )}
            <DeletePerson person={person} />
          </>
        ),
      })}
    >
      {(person) => (
        <Stack gap="lg">
          <Grid gap="md">
            <Grid.Col span={{ base: 12, lg: 7 }}>
              <Stack gap="md">
                <PersonTraits person={person} />
                <PersonGroups groups={person.groups} />
                {person.notShown > 0 && (
                  <Text c="dimmed">
                    {person.notShown.toLocaleString('en')} more traits and groups are not shown: there are too many, or
                    they are too long.
                  </Text>
                )}
              </Stack>
            </Grid.Col>
            <Grid.Col span={{ base: 12, lg: 5 }}>
              <Stack gap="md">
                <PersonAudiences person={person} />
                <PersonIdentities person={person} />
              </Stack>
            </Grid.Col>
          </Grid>
          <PersonWhy personId={person.id} />
          <PersonEvents key={person.id} person={person} />
        </Stack>
      )}
    </DetailPage>
  );
}

function titlesOf(id: string): { readonly title: string; readonly documentTitle: string } {
  return { title: shortened(id), documentTitle: `${shortened(id)}, person` };
}

/** A note, if the calls of this user are refused. */
function Suppressed({ userId }: { readonly userId: string }): ReactElement | null {
  const { data, error } = useInfiniteQuery(suppressionsApi.list({ prefix: userId }));
  if (error && !data) {
    return (
      <Badge color="gray" title={error.message}>
        suppression unknown
      </Badge>
    );
  }
  const isSuppressed = data?.pages[0]?.items.some((suppression) => suppression.userId === userId);
  return isSuppressed ? <Badge color="red">suppressed</Badge> : null;
}

/** Opens a new deletion with the person's user ids; with all ids if the person has no user id. */
function DeletePerson({ person: { identities } }: { readonly person: Person }): ReactElement | null {
  const userIds = identities.filter(({ userIdSince }) => userIdSince !== null);
  const named = userIds.length > 0 ? userIds : identities;
  if (!useMayChange()) return null;
  return (
    <ButtonLink
      to="/deletions/new"
      state={{ deletionOf: named.map(({ id }) => id) }}
      variant="subtle"
      color="red"
      leftSection={<IconUserX size={16} aria-hidden />}
    >
      Delete this person
    </ButtonLink>
  );
}

/** Why an id may belong to no person. */
function UnknownPerson({ id }: { readonly id: string }): ReactElement {
  const { data: status } = useQuery(peopleApi.status());
  return (
    <>
      No call with it has been taken in, or the person was deleted. Ids are compared whole, upper and lower case
      included. {status && status.lag > 0 && `${count(status.lag)} accepted calls are still to be taken in. `}
      {status?.rebuilding != null && 'The profiles are being rebuilt. '}
      <AnchorLink to="/people" search={{ text: id.slice(0, 3) }} inherit underline="always">
        Search for ids that begin alike
      </AnchorLink>
      , or{' '}
      <AnchorLink to="/messages" search={{ userId: id }} inherit underline="always">
        look among the messages
      </AnchorLink>{' '}
      whether anything with this user id was accepted.
    </>
  );
}

/** The person's audiences, and the values of computed traits. */
function PersonAudiences({ person: { audiences, computedTraits } }: { readonly person: Person }): ReactElement {
  return (
    <>
      <SectionCard title="Audiences">
        {audiences.length === 0 && <Text c="dimmed">In none of them now.</Text>}
        <ul className={classes['list']}>
          {audiences.map(({ id, name, key }) => (
            <li key={id}>
              <ThingLink kind="audience" id={id} name={name} fw={500} />
              <Text variant="aside">
                <code>{key}</code>
              </Text>
              <AnchorLink
                from="/people/$id"
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
      </SectionCard>
      {computedTraits.length > 0 && (
        <SectionCard title="Computed traits">
          <ul className={classes['list']}>
            {computedTraits.map(({ id, name, value }) => (
              <li key={id}>
                <ThingLink kind="trait" id={id} name={name} fw={500} />
                <ValueView value={value} />
              </li>
            ))}
          </ul>
        </SectionCard>
      )}
    </>
  );
}

/** Why the person is in an audience or not. Renders nothing if there are no audiences. */
function PersonWhy({ personId }: { readonly personId: string }): ReactElement | null {
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
