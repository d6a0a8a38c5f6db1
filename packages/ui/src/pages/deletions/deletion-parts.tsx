import { linkOptions } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import type { Regulation } from '../../../../server/src/admin/contract.ts';
import { StatusBadge } from '../../components/status-badge.tsx';
import { TabLinks } from '../../components/tab-links.tsx';
import { standing } from './deletion-words.ts';

const TABS = [
  { label: 'Requests', link: linkOptions({ to: '/deletions' }), exact: true },
  { label: 'Suppressed users', link: linkOptions({ to: '/deletions/suppressed' }) },
];

export function DeletionTabs(): ReactElement {
  return <TabLinks label="Parts of deletion" tabs={TABS} />;
}

/** The state of a deletion. */
export function Standing(regulation: Regulation): ReactElement {
  const { tone, words } = standing(regulation);
  return <StatusBadge tone={tone}>{words}</StatusBadge>;
}
