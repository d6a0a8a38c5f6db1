import type { FastifyRequest } from 'fastify';
import type { Caller } from '../accounts/caller.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null on routes that want no sign-in. */
    caller: Caller | null;
    /** Where the request came from: `ip` is not known any more once its client has gone away. */
    address: string;
  }
}

/** The header of a request that is made for an open page, over and over: it does not count as use of its session. */
export const WATCHING = 'x-millrace-watching';

/** Who calls a route under /api that wants a sign-in. */
export function callerOf({ caller }: FastifyRequest): Caller {
  if (caller === null) throw new Error('This route takes anyone: it has no caller');
  return caller;
}

/** Tells those apart who keep streams open: an account may have several sessions. */
export function watcherOf({ account, session, tokenHash, actor }: Caller): string {
  return account?.id ?? session?.hash ?? tokenHash ?? actor;
}
