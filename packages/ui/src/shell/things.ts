import { type LinkProps, linkOptions } from '@tanstack/react-router';

/** The kinds of things that have a list, and below its path a page for each, by its id. */
export const THINGS = {
  source: { noun: 'source', plural: 'Sources', list: '/sources' },
  destination: { noun: 'destination', plural: 'Destinations', list: '/destinations' },
  audience: { noun: 'audience', plural: 'Audiences', list: '/audiences' },
  trait: { noun: 'computed trait', plural: 'Computed traits', list: '/traits' },
  person: { noun: 'person', plural: 'People', list: '/people' },
  deletion: { noun: 'deletion', plural: 'Deletions', list: '/deletions' },
  incident: { noun: 'incident', plural: 'Incidents', list: '/incidents' },
  message: { noun: 'message', plural: 'Messages', list: '/messages' },
} as const;

export type ThingKind = keyof typeof THINGS;

/** A kind of things, as their pages need it. */
export interface Listed {
  readonly noun: string;
  readonly plural: string;
  readonly list: (typeof THINGS)[ThingKind]['list'];
}

/** The link to the page of the message at a position of the log. */
export function toMessage({
  messageId,
  position,
}: {
  readonly messageId: string;
  readonly position: number;
}): LinkProps {
  return linkOptions({ to: '/messages/$id', params: { id: messageId }, search: { position: String(position) } });
}

/** The link to the page of one. */
export function toThing(kind: ThingKind, id: string): LinkProps {
  return { to: `${THINGS[kind].list}/$id`, params: { id } };
}
