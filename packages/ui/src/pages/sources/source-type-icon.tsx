import { IconBrowser, IconDeviceMobile, IconServer } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { Source } from '../../../../server/src/admin/contract.ts';

const ICONS = { web: IconBrowser, mobile: IconDeviceMobile, server: IconServer } as const;

/** Beside words that say the kind. */
export function SourceTypeIcon({ type }: { readonly type: Source['type'] }): ReactElement {
  const Icon = ICONS[type];
  return <Icon size={18} stroke={1.6} style={{ flex: 'none' }} aria-hidden />;
}
