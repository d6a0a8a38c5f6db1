import { IconBrowser, IconDeviceMobile, IconServer } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { Source } from '../../../../server/src/admin/contract.ts';

/** The kinds of source, each with its purpose. */
export const SOURCE_TYPES: readonly {
  readonly value: Source['type'];
  readonly label: string;
  readonly about: string;
}[] = [
  { value: 'web', label: 'Web', about: 'Pages in a browser' },
  { value: 'mobile', label: 'Mobile', about: 'Apps on phones and tablets' },
  { value: 'server', label: 'Server', about: 'Your backend and its jobs' },
];

const ICONS = { web: IconBrowser, mobile: IconDeviceMobile, server: IconServer } as const;

/** An icon beside the name of the kind. */
export function SourceTypeIcon({ type }: { readonly type: Source['type'] }): ReactElement {
  const Icon = ICONS[type];
  return <Icon size={18} stroke={1.6} style={{ flex: 'none' }} aria-hidden />;
}
