import { BEYOND_ALL, shardKey } from '../core/position.ts';
import type { ProfileErasure } from '../people/contract.ts';
import type { Replay } from '../record/contract.ts';
import type { Regulation, Subject } from '../regulations/contract.ts';
import type { MovedPage, MovedRow, Part } from './contract.ts';
import { documentIn, type Positions, saidBefore } from './positions.ts';

type Translate = (row: MovedRow, positions: Positions) => Promise<readonly MovedRow[]>;

/** The translation of each part whose rows contain positions of the log. */
const TRANSLATORS: { readonly [P in Part]?: Translate } = {
  replays: inDocument<Replay>(async (stored, positions) => {
    // A replay that an earlier version wrote has no messageId.
    const replay = { ...stored, messageId: stored.messageId ?? null };
    if (replay.status !== 'running') return { ...replay, after: 0 };
    return replay.after <= 0 ? replay : { ...replay, after: await positions.beginAt(replay.after) };
  }),
  regulations: inDocument<Regulation>(async (regulation, positions) => {
    if (regulation.through === null) return regulation;
    const through = await positions.offsetsAt(regulation.through);
    // In the other steps `after` is the place of a user, which stays valid. These two steps search the log from its beginning
    // again: removed events are not found twice.
    if (regulation.step !== 'searching' && regulation.step !== 'erasing') return { ...regulation, through };
    return { ...regulation, through, after: regulation.after === BEYOND_ALL ? BEYOND_ALL : 0 };
  }),
  subjects: inDocument<Subject>(async (subject, positions) => {
    const sources = subject.sources.map(async (source) => {
      if (source.notice === null) return source;
      const position = await positions.of(source.sourceId, source.notice.position);
      return { ...source, notice: { ...source.notice, position } };
    });
    return { ...subject, sources: await Promise.all(sources) };
  }),
  traits: saidEarlier,
  groupTraits: saidEarlier,
  async takenIn({ id, position }, positions) {
    const before = Number(position);
    if (id !== shardKey(0)) return [{ id: String(id), position: await positions.lastOf(String(id), before) }];
    return (await positions.offsetsAt([before])).map((end, shard) => ({ id: shardKey(shard), position: end }));
  },
  erasures: inDocument<ProfileErasure>(async (erasure, positions) => {
    return { ...erasure, through: await positions.offsetsAt(erasure.through) };
  }),
};

/** The page with the positions of the cluster. */
export async function translated(part: Part, page: MovedPage, positions: Positions): Promise<MovedPage> {
  const translate = TRANSLATORS[part];
  if (!translate) return page;
  const rows: MovedRow[] = [];
  for (const row of page.rows) rows.push(...(await translate(row, positions)));
  return { ...page, rows };
}

function inDocument<T>(translate: (document: T, positions: Positions) => Promise<T>): Translate {
  return async (row, positions) => {
    return [{ ...row, document: JSON.stringify(await translate(documentIn<T>(row), positions)) }];
  };
}

async function saidEarlier(trait: MovedRow): Promise<readonly MovedRow[]> {
  return [{ ...trait, position: saidBefore(Number(trait['position'])) }];
}
