import { Fault } from '../core/fault.ts';
import type { Source } from '../core/source.ts';

/** Answers the source of a write key. Of a key that is not known it may first hear whether another node has just made it. */
export type FindSource = (writeKey: string) => Source | undefined | Promise<Source | undefined>;

/**
 * Finds sources among those of the settings. A write key is unknown only to who knows what other nodes have changed.
 *
 * @throws Fault `storage_unavailable` for one that is not there while this node can't hear of the others' changes.
 */
export function findSourceIn(
  settings: { sourceByWriteKey(writeKey: string): Source | undefined },
  caughtUp: () => Promise<boolean>,
): FindSource {
  const hear = async (writeKey: string): Promise<Source | undefined> => {
    const hasHeard = await caughtUp();
    const source = settings.sourceByWriteKey(writeKey);
    if (source || hasHeard) return source;
    const message = 'The database does not answer, and this write key may be a new one. Try again.';
    throw new Fault('storage_unavailable', message, { retryAfter: RETRY_AFTER_S });
  };
  return (writeKey) => settings.sourceByWriteKey(writeKey) ?? hear(writeKey);
}

const RETRY_AFTER_S = 5;

/** The user name of a Basic authorization, which is the write key (contract 8.2); null when there is none. */
export function basicUserName(authorization: string | undefined): string | null {
  const encoded = authorization === undefined ? undefined : BASIC.exec(authorization)?.[1];
  if (encoded === undefined) return null;
  const credentials = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = credentials.indexOf(':');
  const name = (colon === -1 ? credentials : credentials.slice(0, colon)).trim();
  return name === '' ? null : name;
}

const BASIC = /^basic +([^ ]+) *$/i;
