import type { AuditEntry, AuditPage, AuditQuery, NewAuditEntry } from '../../accounts/contract.ts';
import { json, list, type Sql, sql } from './sql.ts';

/** How many rows one page looks at. Then it answers with what it has found and where it stopped. */
const ROWS_PER_PAGE = 20_000;

interface AuditRow {
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
export async function addAuditEntry(database: Sql, entry: NewAuditEntry): Promise<void> {
  const { at, actor, action, target, fields, address, changes } = entry;
  await database.write([
    sql`INSERT INTO audit (at, actor, action, target_type, target_id, target_name, fields, address, changes)
      VALUES (${at}, ${actor}, ${action}, ${target?.type ?? null}, ${target?.id ?? null}, ${target?.name ?? null},
        ${json(fields)}, ${address}, ${changes && json(changes)})`,
  ]);
}

/**
 * See AccountStore.auditEntries. Actor and time are searched by an index. Action and target are compared row by row, at most
 * `ROWS_PER_PAGE` rows a page.
 */
export async function searchAudit(database: Sql, query: AuditQuery): Promise<AuditPage> {
  const { actor, action, targetId, from, to, cursor, limit } = query;
  const { hashed, fromText } = database.dialect;
  const range = [
    ...(actor === null ? [] : [sql`${hashed(sql`actor`)} = ${hashed(sql`${actor}`)}`]),
    sql`at >= ${from ?? 0} AND at < ${to ?? Number.MAX_SAFE_INTEGER}`,
    ...(cursor === null ? [] : [sql`(at, id) < (${list(parse(cursor))})`]),
  ];
  const wanted = [
    ...(actor === null ? [] : [sql`actor = ${actor}`]),
    ...(action === null ? [] : [sql`substr(action, 1, length(CAST(${action} AS text))) = ${action}`]),
    ...(targetId === null ? [] : [sql`target_id = ${targetId}`]),
  ];
  const newestFirst = sql`ORDER BY at DESC, id DESC`;
  let looked: Key | undefined;
  if (action !== null || targetId !== null) {
    [looked] = await database.read<Key>(
      sql`SELECT at, id FROM audit WHERE ${list(range, ' AND ')} ${newestFirst} LIMIT 1 OFFSET ${ROWS_PER_PAGE - 1}`,
    );
    if (looked) range.push(sql`(at, id) >= (${looked.at}, ${looked.id})`);
  }
  const rows = await database.read<AuditRow>(
    sql`SELECT * FROM audit WHERE ${list([...range, ...wanted], ' AND ')} ${newestFirst} LIMIT ${limit + 1}`,
  );
  const last = rows.length > limit ? rows[limit - 1] : looked;
  return {
    items: rows.slice(0, limit).map((row) => toEntry(row, fromText)),
    next: last ? `${last.at}-${last.id}` : null,
  };
}

type Key = Pick<AuditRow, 'at' | 'id'>;

function parse(cursor: string): readonly number[] {
  const [at = 0, id = 0] = cursor.split('-').map(Number);
  return [at, id];
}

function toEntry(row: AuditRow, fromText: (text: string) => string): AuditEntry {
  const { id, at, actor, action, target_type: type, target_id, target_name, fields, address, changes } = row;
  return {
    id: String(id),
    at,
    actor: fromText(actor),
    action: fromText(action),
    target:
      type === null
        ? null
        : { type, id: fromText(target_id ?? ''), name: target_name === null ? null : fromText(target_name) },
    fields: JSON.parse(fields) as string[],
    address,
    changes: changes === null ? null : (JSON.parse(changes) as AuditEntry['changes']),
  };
}
