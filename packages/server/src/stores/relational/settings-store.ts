import { revisionOf, type Versioned } from '../../core/revision.ts';
import type { SettingsStore, StoredDestination, StoredSource } from '../../settings/contract.ts';
import { changeDocument, documents } from './documents.ts';
import type { Sql } from './sql.ts';

type Kind = 'source' | 'destination';

/** Settings as documents. Every process is notified of each committed change. */
export function settingsStore(database: Sql): SettingsStore {
  const { watch } = database;

  function change(
    kind: Kind,
    id: string,
    of: (now: Versioned | undefined) => Versioned | undefined | null,
  ): Promise<boolean> {
    return changeDocument(database, kind, id, of, { tells: 'settings' });
  }

  function put(kind: Kind, thing: Versioned & { readonly id: string }): Promise<boolean> {
    return change(kind, thing.id, (now) => (revisionOf(thing) === (now ? revisionOf(now) + 1 : 1) ? thing : null));
  }

  function remove(kind: Kind, id: string, revision?: number): Promise<boolean> {
    return change(kind, id, (now) =>
      now && revision !== undefined && revisionOf(now) !== revision ? null : undefined,
    );
  }

  return {
    async load() {
      // In this order, because a source is stored before a destination names it.
      const destinations = await documents<StoredDestination>(database, 'destination');
      const sources = await documents<StoredSource>(database, 'source');
      return { sources, destinations };
    },
    putSource: (source) => put('source', source),
    deleteSource: (id, revision) => remove('source', id, revision),
    putDestination: (destination) => put('destination', destination),
    deleteDestination: (id, revision) => remove('destination', id, revision),
    ...(watch && { watch: (changed) => watch('settings', changed) }),
  };
}
