import type { Definition } from './contract.ts';
import { sourceOf } from './definitions.ts';
import type { PeopleWorld } from './world.ts';

export interface SourceRepairOptions
  extends Pick<PeopleWorld, 'settings' | 'caughtUp' | 'newWriteKey' | 'gracePeriod' | 'clock'> {
  readonly definitions: () => Promise<readonly Definition[]>;
  /** Called with what went wrong; the next leading process tries again. */
  readonly report: (error: unknown) => void;
}

/**
 * Makes good what a crash left between the settings and the profiles, which no transaction spans: a definition has its
 * source, and no other has one. A source is there before its definition, and goes after it. So one without a definition may
 * belong to what another process is making just now: it is removed only if it still has none when that must be over.
 *
 * Answers what calls off the part that waits.
 */
export async function repairSources(options: SourceRepairOptions): Promise<() => void> {
  const { settings, definitions, caughtUp, newWriteKey, clock, gracePeriod, report } = options;
  const all = await definitions();
  await caughtUp();
  for (const definition of all) {
    if (!settings.source(definition.sourceId)) await settings.putSource(sourceOf(definition, newWriteKey()));
  }
  const before = await orphansIn(options);
  const remove = async (ids: readonly string[]): Promise<void> => {
    for (const id of ids) await settings.deleteSource(id);
  };
  if (gracePeriod > 0 && before.length > 0) {
    const removeLasting = async (): Promise<void> =>
      remove((await orphansIn(options)).filter((id) => before.includes(id)));
    return clock.after(gracePeriod, () => void removeLasting().catch(report));
  }
  await remove(before);
  return () => undefined;
}

/** Sources whose definitions do not exist. */
async function orphansIn({ settings, definitions }: SourceRepairOptions): Promise<readonly string[]> {
  const needed = new Set((await definitions()).map(({ sourceId }) => sourceId));
  return settings
    .sources()
    .filter(({ id, sentBy }) => sentBy !== undefined && !needed.has(id))
    .map(({ id }) => id);
}
