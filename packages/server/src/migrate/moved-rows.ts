import { BEYOND_ALL, shardKey } from '../core/position.ts';
import type { MovedPage, MovedRows, Part } from './contract.ts';
import { type Positions, saidBefore } from './positions.ts';

type Translators = {
  readonly [P in Part]?: (row: MovedRows[P], positions: Positions) => Promise<MovedRows[P] | readonly MovedRows[P][]>;
};

/** The translation of each part whose rows contain positions of the log. */
const TRANSLATORS: Translators = {
  async replays(replay, positions) {
    if (replay.status !== 'running') return { ...replay, after: 0 };
    return replay.after <= 0 ? replay : { ...replay, after: await positions.beginAt(replay.after) };
  },
  async regulations(regulation, positions) {
    if (regulation.through === null) return regulation;
    const through = await positions.offsetsAt(regulation.through);
    // In the other steps `after` is the place of a user, which stays valid. These two steps search the log from its beginning
    // again: removed events are not found twice.
    if (regulation.step !== 'searching' && regulation.step !== 'erasing') return { ...regulation, through };
    return { ...regulation, through, after: regulation.after === BEYOND_ALL ? BEYOND_ALL : 0 };
  },
  async subjects({ regulationId, subject }, positions) {
    const sources = subject.sources.map(async (source) => {
      if (source.notice === null) return source;
      return {
        ...source,
        notice: { ...source.notice, position: await positions.of(source.sourceId, source.notice.position) },
      };
    });
    return { regulationId, subject: { ...subject, sources: await Promise.all(sources) } };
  },
  traits: async (trait) => ({ ...trait, position: saidBefore(Number(trait['position'])) }),
  groupTraits: async (trait) => ({ ...trait, position: saidBefore(Number(trait['position'])) }),
  async takenIn({ sourceId, position }, positions) {
    if (sourceId !== shardKey(0)) return { sourceId, position: await positions.lastOf(sourceId, position) };
    return (await positions.offsetsAt([position])).map((end, shard) => ({ sourceId: shardKey(shard), position: end }));
  },
  erasures: async (erasure, positions) => ({ ...erasure, through: await positions.offsetsAt(erasure.through) }),
};

/** The page with the positions of the cluster. */
export async function translated<P extends Part>(
  part: P,
  page: MovedPage<P>,
  positions: Positions,
): Promise<MovedPage<P>> {
  const translate = TRANSLATORS[part];
  if (!translate) return page;
  const rows: MovedRows[P][] = [];
  for (const row of page.rows) {
    const moved = await translate(row, positions);
    rows.push(...(Array.isArray(moved) ? (moved as readonly MovedRows[P][]) : [moved as MovedRows[P]]));
  }
  return { ...page, rows };
}
