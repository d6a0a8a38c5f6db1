import { useSuspenseQuery } from '@tanstack/react-query';
import { type LinkProps, useRouter } from '@tanstack/react-router';
import type { Session } from '../../../server/src/admin/contract.ts';
import { sessionApi } from '../api/session.ts';

/** The session, on every page inside the shell. */
export function useSession(): Session {
  return useSuspenseQuery(sessionApi.current()).data;
}

/** Whether this role may see data about persons: bodies, ids, searches. */
export function useMayLook(): boolean {
  return useSession().role !== 'observer';
}

/** Whether this role may open a page (`isPersonal` of its route). */
export function useMayOpen(): (page: Pick<LinkProps, 'to'>) => boolean {
  const mayLook = useMayLook();
  const { routesByPath } = useRouter();
  return ({ to }) => mayLook || !routesByPath[to as keyof typeof routesByPath].options.staticData?.isPersonal;
}

/** Whether this role may change things. A viewer sees no control that is not allowed. */
export function useMayChange(): boolean {
  return useSession().role === 'admin';
}
