import { type LinkProps, linkOptions } from '@tanstack/react-router';
import type { SearchHit } from '../../../server/src/admin/contract.ts';
import { PLACES } from '../pages/settings/settings-frame.tsx';
import { ITEMS } from '../shell/navigation.tsx';
import type { useMayOpen } from '../shell/session.ts';
import { THINGS, toThing } from '../shell/things.ts';

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
  destination: THINGS.destination.plural,
  source: THINGS.source.plural,
  audience: THINGS.audience.plural,
  trait: THINGS.trait.plural,
  setting: 'Settings',
  person: THINGS.person.plural,
  rejection: 'Refused calls',
  message: THINGS.message.plural,
} as const satisfies Record<SearchHit['kind'], string>;

const WHY: Readonly<Record<string, string>> = {
  ...{ messageId: 'message id', userId: 'user id', anonymousId: 'anonymous id', writeKey: 'write key' },
  ...{ event: 'event name', payload: 'text', url: 'URL', address: 'address', userAgent: 'user agent' },
};

/** Pages whose names contain the text. */
export function foundPages(text: string, mayOpen: ReturnType<typeof useMayOpen>): Found[] {
  const folded = text.toLowerCase();
  const pages = [
    ...ITEMS.map((item) => ({ ...item, path: item.label })),
    ...PLACES.map((item) => ({ ...item, path: `Settings › ${item.label}` })),
  ];
  return pages
    .filter((page) => mayOpen(page) && page.path.toLowerCase().includes(folded))
    .map(({ path, to }) => ({
      key: `page ${path}`,
      group: 'Pages',
      label: path,
      why: '',
      excerpt: null,
      at: null,
      link: { to },
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
    case 'setting':
      return linkOptions({ to: '/settings', hash: id });
    case 'rejection':
      return {
        ...(sourceId === null ? linkOptions({ to: '/sources' }) : toThing('source', sourceId)),
        hash: 'rejections',
      };
    case 'message':
      return linkOptions({ to: '/messages/$id', params: { id }, search: { position: String(position) } });
    default:
      return toThing(kind, id);
  }
}
