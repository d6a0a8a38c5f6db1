import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { groupId, MOST_GROUPS, type RejectionGroup } from '../../core/rejection.ts';
import { transaction } from './database.ts';

const ADD = `INSERT INTO rejections (id, source, count, first_at, last_at, json) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET count = count + excluded.count, first_at = min(first_at, excluded.first_at),
  last_at = max(last_at, excluded.last_at), json = excluded.json`;

const BOUND = `DELETE FROM rejections WHERE id IN (
  SELECT id FROM rejections WHERE source = ? ORDER BY last_at DESC, id LIMIT -1 OFFSET ${MOST_GROUPS})`;

/** See RejectionStore.add. */
export function addRejections(db: DatabaseSync, groups: readonly RejectionGroup[], before: number): void {
  const [add, bound] = [db.prepare(ADD), db.prepare(BOUND)];
  transaction(db, () => {
    db.prepare('DELETE FROM rejections WHERE last_at < ?').run(before);
    for (const group of groups) {
      const { sourceId, count, firstAt, lastAt, ...words } = group;
      add.run(groupId(group), sourceId ?? '', count, firstAt, lastAt, JSON.stringify(words));
    }
    for (const source of new Set(groups.map(({ sourceId }) => sourceId ?? ''))) bound.run(source);
  });
}

/** See RejectionStore.removeExamples. */
export function removeExamples(db: DatabaseSync, groups: readonly RejectionGroup[]): void {
  const update = db.prepare(`UPDATE rejections SET json = json_set(json, '$.example', '') WHERE id = ?`);
  transaction(db, () => {
    for (const group of groups) update.run(groupId(group));
  });
}

/** See RejectionStore.groups. */
export function readRejections(db: DatabaseSync, sourceId: string | null): RejectionGroup[] {
  const order = 'ORDER BY last_at DESC, id';
  const rows =
    sourceId === null
      ? db.prepare(`SELECT * FROM rejections ${order}`).all()
      : db.prepare(`SELECT * FROM rejections WHERE source = ? ${order}`).all(sourceId);
  return rows.map(groupOf);
}

/** A group as its row has it. */
function groupOf(row: Record<string, SQLOutputValue>): RejectionGroup {
  const words = JSON.parse(String(row['json'])) as Omit<RejectionGroup, 'sourceId' | 'count' | 'firstAt' | 'lastAt'>;
  const [count, firstAt, lastAt] = [Number(row['count']), Number(row['first_at']), Number(row['last_at'])];
  return { ...words, sourceId: String(row['source']) || null, count, firstAt, lastAt };
}
