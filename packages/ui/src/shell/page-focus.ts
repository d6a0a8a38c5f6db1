import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';

/**
 * After a change of page the focus goes to the field that the address names (`#url-2`), else to the new page's heading, as a
 * browser without scripts would begin anew; so a screen reader says where it is, and Tab goes on from there.
 */
export function usePageFocus(): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, toLocation, pathChanged }) => {
        if (!fromLocation || !pathChanged) return;
        const field = toLocation.hash === '' ? null : document.getElementById(toLocation.hash);
        if (field) return field.focus();
        const target = document.querySelector<HTMLElement>('main h1') ?? document.querySelector<HTMLElement>('main');
        target?.focus({ preventScroll: true });
      }),
    [router],
  );
}
