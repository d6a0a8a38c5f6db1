import { IconBrowser, IconDeviceMobile, IconServer } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { Source } from '../../../../server/src/admin/contract.ts';

const ICONS = { web: IconBrowser, mobile: IconDeviceMobile, server: IconServer } as const;

/** Beside words that say the kind. */
export function SourceTypeIcon({
  type,
  size = 18,
}: {
  readonly type: Source['type'];
  readonly size?: number;
}): ReactElement {
  const Icon = ICONS[type];
  return <Icon size={size} stroke={1.6} aria-hidden />;
}
