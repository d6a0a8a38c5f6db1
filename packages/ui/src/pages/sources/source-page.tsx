import { useQuery } from '@tanstack/react-query';
import { getRouteApi, linkOptions } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { sourcesApi } from '../../api/sources.ts';
import { OnOffSwitch } from '../../components/on-off-switch.tsx';
import { SentBy } from '../../components/sent-by.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { ThingPage } from '../../shell/detail-page.tsx';
import { useMayChange } from '../../shell/session.ts';
import { SOURCE } from './kind.ts';
import { SOURCE_TYPES } from './source-types.tsx';

const route = getRouteApi('/shell/sources/$sourceId');

/** One source. Its tabs have their own addresses. */
export function SourcePage(): ReactElement {
  const { sourceId } = route.useParams();
  const mayChange = useMayChange();
  const query = useQuery(sourcesApi.one(sourceId));
  const source = query.data;
  const sentBy = source?.sentBy ?? null;
  const params = { sourceId };
  const type = SOURCE_TYPES.find(({ value }) => value === source?.type);
  return (
    <ThingPage
      kind={SOURCE}
      id={sourceId}
      query={query}
      badge={
        source && <StatusBadge tone={source.enabled ? 'good' : 'off'}>{source.enabled ? 'on' : 'off'}</StatusBadge>
      }
      description={
        sentBy === null ? (
          type && `${type.label}: ${type.about.toLowerCase()}`
        ) : (
          <>
            Sent by <SentBy id={sentBy} />
          </>
        )
      }
      actions={
        source &&
        sentBy === null && (
          <OnOffSwitch of={source} update={sourcesApi.update()} kind="a source" label={`Take calls of ${source.name}`}>
            Its calls are rejected (<code>source_disabled</code>) until it is on again, and most clients don't send them
            a second time. What was accepted before is still delivered.
          </OnOffSwitch>
        )
      }
      tabs={[
        { label: 'Overview', link: linkOptions({ to: '/sources/$sourceId', params }), exact: true },
        ...(sentBy === null
          ? [{ label: 'Connect', link: linkOptions({ to: '/sources/$sourceId/connect', params }) }]
          : []),
        ...(mayChange && sentBy === null
          ? [
              { label: 'Import', link: linkOptions({ to: '/sources/$sourceId/import', params }) },
              { label: 'Settings', link: linkOptions({ to: '/sources/$sourceId/settings', params }) },
            ]
          : []),
      ]}
    />
  );
}
