import { linkOptions } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { TabLinks } from '../../components/tab-links.tsx';

const TABS = [
  { label: 'Requests', link: linkOptions({ to: '/deletions' }), exact: true },
  { label: 'Suppressed users', link: linkOptions({ to: '/deletions/suppressed' }) },
];

export function DeletionTabs(): ReactElement {
  return <TabLinks label="Parts of deletion" tabs={TABS} />;
}
