import type { ReactElement } from 'react';
import type { Reason } from '../../../server/src/admin/contract.ts';
import { AnchorLink } from '../components/anchor-link.tsx';
import { Time } from '../components/time.tsx';
import { count } from '../format/number.ts';
import { valueInWords } from './pieces.ts';
import { place } from './place.ts';

/** What of a person decides a condition. */
export function Found({ reason }: { readonly reason: Reason }): ReactElement {
  return (
    <>
      <Grounds reason={reason} />
      {reason.changesAt !== null && (
        <>
          {' '}
          · may change <Time at={reason.changesAt} />
        </>
      )}
    </>
  );
}

function Grounds({ reason }: { readonly reason: Reason }): ReactElement | string | null {
  if ('trait' in reason) {
    if (!reason.found) return 'There is no value.';
    return (
      <>
        It is <strong>{valueInWords(reason.found.value)}</strong>, said <Time at={reason.found.at} />
      </>
    );
  }
  if ('groupTrait' in reason) {
    if (reason.found.length === 0) return 'None of the person’s groups has it.';
    return (
      <>
        {reason.found.map(({ groupId, value }, i) => (
          <span key={groupId}>
            {i > 0 && ', '}
            <strong>{valueInWords(value)}</strong> in group {groupId}
          </span>
        ))}
      </>
    );
  }
  if ('events' in reason) {
    if (reason.events === 0) return 'No event counts.';
    return (
      <>
        {count(reason.events)} {reason.events === 1 ? 'event counts' : 'events count'}:{' '}
        {reason.newest.map(({ messageId, at }, i) => (
          <span key={place(i)}>
            {i > 0 && ', '}
            <AnchorLink to="/messages/$messageId" params={{ messageId }} size="xs" td="underline">
              <Time at={at} />
            </AnchorLink>
          </span>
        ))}
        {reason.events > reason.newest.length && ' and earlier ones'}
      </>
    );
  }
  return null;
}
