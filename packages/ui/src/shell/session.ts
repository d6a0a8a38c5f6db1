import { useSuspenseQuery } from '@tanstack/react-query';
import type { Session } from '../../../server/src/admin/contract.ts';
import { sessionApi } from '../api/session.ts';

/** Who is signed in, on every page inside the shell. */
export function useSession(): Session {
  return useSuspenseQuery(sessionApi.current()).data;
}

/** May this person see what is said of persons: bodies, ids, searches. */
export function useMayLook(): boolean {
  return useSession().role !== 'observer';
}

/** May this person change things. A viewer is shown no control that they may not use. */
export function useMayChange(): boolean {
  return useSession().role === 'admin';
}
