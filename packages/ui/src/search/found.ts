import { type LinkProps, linkOptions } from '@tanstack/react-router';
import type { SearchHit } from '../../../server/src/admin/contract.ts';
import { PLACES } from '../pages/settings/settings-frame.tsx';
import { ITEMS } from '../shell/navigation.tsx';

/** One line of the results. */
export interface Found {
  /** Identifies the result: a search may find the same thing twice, first by an index and later by the scan. */
  readonly key: string;
  readonly group: string;
  readonly label: string;
  /** The field in which the text was found. */
  readonly why: string;
  readonly excerpt: string | null;
  readonly at: string | null;
  readonly link: LinkProps;
}

/** Groups, in the order of display. */
const GROUPS = {
  destination: 'Destinations',
  source: 'Sources',
  audience: 'Audiences',
  trait: 'Computed traits',
  setting: 'Settings',
  person: 'People',
  rejection: 'Refused calls',
  message: 'Messages',
} as const satisfies Record<SearchHit['kind'], string>;

const WHY: Readonly<Record<string, string>> = {
  ...{ messageId: 'message id', userId: 'user id', anonymousId: 'anonymous id', writeKey: 'write key' },
  ...{ event: 'event name', payload: 'text', url: 'URL', address: 'address', userAgent: 'user agent' },
};

/** Pages whose names contain the text. */
export function foundPages(text: string, mayLook: boolean): Found[] {
  const folded = text.toLowerCase();
  const pages = [
    ...ITEMS.map((item) => ({ ...item, path: item.label })),
    ...PLACES.map((item) => ({ ...item, path: `Settings › ${item.label}` })),
  ];
  return pages
    .filter(({ path, personal }) => (mayLook || !personal) && path.toLowerCase().includes(folded))
    .map(({ path, link }) => ({
      key: `page ${path}`,
      group: 'Pages',
      label: path,
      why: '',
      excerpt: null,
      at: null,
      link,
    }));
}

/** The things found, each once, in groups. */
export function foundThings(hits: readonly SearchHit[]): Found[] {
  const each = new Map(hits.map(foundOf).map((found) => [found.key, found]));
  return Object.values(GROUPS).flatMap((group) => [...each.values()].filter((found) => found.group === group));
}

function foundOf(hit: SearchHit): Found {
  const { kind, id, name, position, type, event, userId, receivedAt: at } = hit;
  // Without an excerpt, the text is in a field that the result shows already. Then its id is shown, to tell results apart.
  const isBare = kind === 'message' && hit.excerpt === null;
  const { why, excerpt } = isBare ? { why: 'messageId', excerpt: id } : hit;
  return {
    key: [kind, id, position].join(' '),
    group: GROUPS[kind],
    label: name ?? event ?? type ?? userId ?? id,
    why: WHY[why] ?? why,
    excerpt,
    at,
    link: linkTo(hit),
  };
}

function linkTo({ kind, id, position, sourceId }: SearchHit): LinkProps {
  switch (kind) {
    case 'destination':
      return linkOptions({ to: '/destinations/$destinationId', params: { destinationId: id } });
    case 'source':
      return linkOptions({ to: '/sources/$sourceId', params: { sourceId: id } });
    case 'audience':
      return linkOptions({ to: '/audiences/$id', params: { id } });
    case 'trait':
      return linkOptions({ to: '/traits/$id', params: { id } });
    case 'setting':
      return linkOptions({ to: '/settings', hash: id });
    case 'person':
      return linkOptions({ to: '/people/$personId', params: { personId: id } });
    case 'rejection':
      return sourceId === null
        ? linkOptions({ to: '/sources', hash: 'rejections' })
        : linkOptions({ to: '/sources/$sourceId', params: { sourceId }, hash: 'rejections' });
    case 'message': {
      const search = { position: String(position) };
      return linkOptions({ to: '/messages/$messageId', params: { messageId: id }, search });
    }
    default:
      return kind satisfies never;
  }
}
