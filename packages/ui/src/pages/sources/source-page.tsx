import type { ReactElement } from 'react';
import type { Source } from '../../../../server/src/admin/contract.ts';
import { sourcesApi } from '../../api/sources.ts';
import { OnOffSwitch } from '../../components/on-off-switch.tsx';
import { SentBy } from '../../components/sent-by.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { useMayChange } from '../../shell/session.ts';
import { ThingPage } from '../../shell/thing-page.tsx';
import { THINGS } from '../../shell/things.ts';
import { SOURCE_TYPES } from './source-types.tsx';

/** One source. Its tabs have their own addresses. */
export function SourcePage(): ReactElement {
  const mayChange = useMayChange();
  return (
    <ThingPage
      kind={THINGS.source}
      one={sourcesApi.one}
      header={(source) => ({
        badge: <StatusBadge tone={source.enabled ? 'good' : 'off'}>{source.enabled ? 'on' : 'off'}</StatusBadge>,
        description: <Origin {...source} />,
        actions: source.sentBy === null && (
          <OnOffSwitch of={source} update={sourcesApi.update()} kind="a source" label={`Take calls of ${source.name}`}>
            Its calls are rejected (<code>source_disabled</code>) until it is on again, and most clients don't send them
            a second time. What was accepted before is still delivered.
          </OnOffSwitch>
        ),
      })}
      tabs={(source) => {
        const isOutside = source === undefined || source.sentBy === null;
        return [
          ['', 'Overview'],
          isOutside && ['/connect', 'Connect'],
          isOutside && mayChange && ['/import', 'Import'],
          isOutside && mayChange && ['/settings', 'Settings'],
        ];
      }}
    />
  );
}

/** Where the calls of a source come from. */
function Origin({ sentBy, type }: Source): ReactElement {
  if (sentBy !== null) {
    return (
      <>
        Sent by <SentBy id={sentBy} />
      </>
    );
  }
  const { label, about } = SOURCE_TYPES.find(({ value }) => value === type) ?? { label: type, about: '' };
  return (
    <>
      {label}: {about.toLowerCase()}
    </>
  );
}
