import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { audiencesApi } from '../api/audiences.ts';
import { eventsApi } from '../api/events.ts';

/** Names that a definition may speak of, as far as they are known: each once, by alphabet. */
export interface Names {
  readonly events: readonly string[];
  readonly traits: readonly string[];
  readonly groupTraits: readonly string[];
  readonly properties: readonly string[];
}

/** Events that came lately, and whatever other audiences ask about. */
export function useKnownNames(): Names {
  const recent = useInfiniteQuery({ ...eventsApi.search({ type: 'track' }), staleTime: 60_000 });
  const audiences = useQuery(audiencesApi.names());
  return useMemo(() => {
    const events = recent.data?.pages.flatMap(({ items }) => items.flatMap(({ event }) => event ?? [])) ?? [];
    return namesIn(audiences.data?.map(({ definition }) => definition) ?? [], events);
  }, [recent.data, audiences.data]);
}

/** The names in any JSON that has definitions in it, beside those that are known already. */
function namesIn(json: unknown, knownEvents: readonly string[]): Names {
  const events = new Set(knownEvents);
  const found = { trait: new Set<string>(), groupTrait: new Set<string>(), property: new Set<string>() };
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, part] of Object.entries(value)) {
      if (name === 'event' && isTrack(part)) events.add(part.name);
      if (name in found && typeof part === 'string') found[name as keyof typeof found].add(part);
      look(part);
    }
  };
  look(json);
  const { trait, groupTrait, property } = found;
  return {
    events: [...events].sort(),
    traits: [...trait].sort(),
    groupTraits: [...groupTrait].sort(),
    properties: [...property].sort(),
  };
}

function isTrack(event: unknown): event is { readonly name: string } {
  return (
    typeof event === 'object' &&
    event !== null &&
    'name' in event &&
    typeof event.name === 'string' &&
    !('type' in event)
  );
}
