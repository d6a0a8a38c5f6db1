import type { FastifyRequest } from 'fastify';
import type { Caller } from '../accounts/caller.ts';
import type { Questions } from '../people/questions.ts';
import type { AdminDeps } from './deps.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null on routes without a sign-in. */
    caller: Caller | null;
    /** Address of the client. Kept here because `ip` is unknown after the client has disconnected. */
    address: string;
  }
}

/** Header of requests that an open page repeats on its own. They do not count as a use of the session. */
export const WATCHING = 'x-millrace-watching';

/** The caller of a route under /api that needs a sign-in. */
export function callerOf({ caller }: FastifyRequest): Caller {
  if (caller === null) throw new Error('This route takes anyone: it has no caller');
  return caller;
}

/** The key under which open streams are counted and questions wait: the account, for all its sessions together; else the session, or the token. */
export function watcherOf({ account, session, tokenHash, actor }: Caller): string {
  return account?.id ?? session?.hash ?? tokenHash ?? actor;
}

/** The questions of a request's caller about persons. */
export function questionsOf({ people }: Pick<AdminDeps, 'people'>, request: FastifyRequest): Questions {
  return people.questions(watcherOf(callerOf(request)));
}
