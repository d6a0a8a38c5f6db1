import type { Source } from '../core/source.ts';

/** Answers the source of a write key. Of a key that is not known it may first hear whether another node has just made it. */
export type FindSource = (writeKey: string) => Source | undefined | Promise<Source | undefined>;

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
