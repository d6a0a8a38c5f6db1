import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Source } from '../../../../server/src/admin/contract.ts';
import { sourcesApi } from '../../api/sources.ts';
import { OnOffSwitch } from '../../components/on-off-switch.tsx';

/** Clients lose what they send while it is off. */
export function SourceSwitch({ source }: { readonly source: Source }): ReactElement {
  const update = useMutation(sourcesApi.update());
  return (
    <OnOffSwitch
      of={source}
      kind="a source"
      label={`Take calls of ${source.name}`}
      busy={update.isPending}
      onSwitch={(enabled) => update.mutateAsync({ id: source.id, revision: source.revision, enabled })}
    >
      Its calls are rejected (<code>source_disabled</code>) until it is on again, and most clients don't send them a
      second time. What was accepted before is still delivered.
    </OnOffSwitch>
  );
}
