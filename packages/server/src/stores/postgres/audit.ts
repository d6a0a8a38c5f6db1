import type { AuditEntry, AuditPage, AuditQuery, NewAuditEntry } from '../../accounts/contract.ts';
import type { Queries } from './database.ts';
import { HIGHEST, LOWEST, merge, type NumberedRow, numberedSql, searchPiecewise } from './piecewise.ts';
import { fromText, fromTextOrNull, toText, toTextOrNull } from './text.ts';

/** Where a page of entries ends: newest first. */
interface Key {
  readonly at: number;
  readonly id: number;
}

interface AuditRow extends NumberedRow {
  readonly id: number;
  readonly at: number;
  readonly actor: string;
  readonly action: string;
  readonly target_type: string | null;
  readonly target_id: string | null;
  readonly target_name: string | null;
  readonly fields: string;
  readonly address: string;
  readonly changes: string | null;
}

/** See AccountStore.audit. */
export async function addAuditEntry(queries: Queries, entry: NewAuditEntry): Promise<void> {
  const { at, actor, action, target, fields, address, changes } = entry;
  await queries.query(
    `INSERT INTO audit (at, actor, action, target_type, target_id, target_name, fields, address, changes)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      ...[at, toText(actor), toText(action), target?.type ?? null],
      ...[toTextOrNull(target?.id ?? null), toTextOrNull(target?.name ?? null), JSON.stringify(fields), address],
      changes && JSON.stringify(changes),
    ],
  );
}

/**
 * See AccountStore.auditEntries. An actor and bounds of time are ranges of an index; actions and targets are compared row by row, piece
 * by piece.
 */
export async function searchAudit(queries: Queries, query: AuditQuery): Promise<AuditPage> {
  const { actor, action, targetId, from, to, cursor, limit } = query;
  const sql = numberedSql(
    '(VALUES (0)) x(number)',
    'x.number',
    `SELECT a.* FROM audit a WHERE ${actor === null ? '$6::text IS NULL' : 'hashtextextended(a.actor, 0) = hashtextextended($6, 0)'}
       AND a.at >= $1 AND a.at < $2 AND (a.at, a.id) < ($3, $4) ORDER BY a.at DESC, a.id DESC LIMIT $5`,
    'w.at DESC, w.id DESC',
    '($6::text IS NULL OR w.actor = $6) AND ($7::text IS NULL OR starts_with(w.action, $7)) AND ($8::text IS NULL OR w.target_id = $8)',
  );
  const words = [toTextOrNull(actor), toTextOrNull(action), toTextOrNull(targetId)];
  const { rows, last } = await searchPiecewise<AuditRow, Key>(
    limit,
    cursor === null ? { at: HIGHEST, id: HIGHEST } : parse(cursor),
    keyOf,
    async ({ at, id }, size) => {
      const values = [from ?? LOWEST, to ?? HIGHEST, at, id, size, ...words];
      return merge(await queries.query<AuditRow>(sql, values), size, keyOf, newestFirst);
    },
  );
  return { items: rows.map(toEntry), next: last && `${last.at}-${last.id}` };
}

function keyOf({ at, id }: AuditRow): Key {
  return { at, id };
}

function newestFirst(a: Key, b: Key): number {
  return b.at - a.at || b.id - a.id;
}

function parse(cursor: string): Key {
  const [at = 0, id = 0] = cursor.split('-').map(Number);
  return { at, id };
}

function toEntry(row: AuditRow): AuditEntry {
  const { id, at, actor, action, target_type: type, target_id, target_name, fields, address, changes } = row;
  return {
    id: String(id),
    at,
    actor: fromText(actor),
    action: fromText(action),
    target: type === null ? null : { type, id: fromText(target_id ?? ''), name: fromTextOrNull(target_name) },
    fields: JSON.parse(fields) as string[],
    address,
    changes: changes === null ? null : (JSON.parse(changes) as AuditEntry['changes']),
  };
}
