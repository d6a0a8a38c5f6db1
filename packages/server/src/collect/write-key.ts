import { Fault } from '../core/fault.ts';
import type { Source } from '../core/source.ts';

/** Answers the source of a write key. It may first hear what other nodes have changed. */
export type FindSource = (writeKey: string) => Source | undefined | Promise<Source | undefined>;

/**
 * Finds sources among those of the settings. Before a write key is unknown, and before a process that stood still takes a call, it hears
 * what other nodes have changed.
 *
 * @throws Fault `storage_unavailable` where that can't be heard.
 */
export function findSourceIn(
  settings: { sourceByWriteKey(writeKey: string): Source | undefined },
  peers: { isCurrent(): boolean; caughtUp(): Promise<boolean> },
): FindSource {
  const hear = async (writeKey: string): Promise<Source | undefined> => {
    const hasHeard = await peers.caughtUp();
    const source = settings.sourceByWriteKey(writeKey);
    if (hasHeard || (source && peers.isCurrent())) return source;
    const message = 'The database does not answer, and other nodes may have changed this source. Try again.';
    throw new Fault('storage_unavailable', message, { retryAfter: RETRY_AFTER_S });
  };
  return (writeKey) => (peers.isCurrent() && settings.sourceByWriteKey(writeKey)) || hear(writeKey);
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
