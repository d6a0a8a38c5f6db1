import type { AlertStore, Incident, Notice, StoredAlertSettings } from '../../alerts/contract.ts';
import { revisionOf } from '../../core/revision.ts';
import { changeDocument, type DocumentKind, documents } from './documents.ts';
import { isAny, json, list, piecesOf, type Sql, type Statement, sql } from './sql.ts';

/** Settings, incidents, snoozes and notices of alerts, all as documents. */
export function alertStore(database: Sql): AlertStore {
  async function save(incidents: readonly Incident[], notices: readonly Notice[], turn?: string): Promise<boolean> {
    if (incidents.length + notices.length === 0) return true;
    // The condition must be on the locked row itself: after a wait for the lock, PostgreSQL checks only that row anew.
    const turnRow = sql`kind = 'service' AND id = ${TURN} AND ${turn === undefined ? ALWAYS : sql`document = ${json(turn)}`}`;
    // Another turn begins before all of it or after.
    const lock = sql`UPDATE documents SET document = document WHERE ${turnRow} RETURNING id`;
    const isNow = turn === undefined ? ALWAYS : sql`EXISTS (SELECT 1 FROM documents WHERE ${turnRow})`;
    const [held] = await database.write([
      lock,
      ...incidents.map((incident) => put(kindOf(incident.state), incident.id, incident, isNow)),
      ...STATES.flatMap((state) => {
        const others = incidents.filter((incident) => incident.state !== state).map(({ id }) => id);
        return others.length === 0 ? [] : removal([kindOf(state)], others, isNow);
      }),
      ...notices.map((notice) => put('notice', notice.id, notice, isNow)),
    ]);
    return turn === undefined || isAny(held);
  }

  async function remove(kinds: readonly DocumentKind[], ids: readonly string[]): Promise<void> {
    for (const piece of piecesOf(ids)) await database.write([removal(kinds, piece)]);
  }

  return {
    async settings() {
      return (await documents<StoredAlertSettings>(database, 'alerts', sql`id = ${SETTINGS}`))[0] ?? null;
    },
    saveSettings: (settings) =>
      changeDocument<StoredAlertSettings>(database, 'alerts', SETTINGS, (now) =>
        revisionOf(settings) === (now ? revisionOf(now) : 1) + 1 ? settings : null,
      ),
    async incidents(state) {
      const kinds = state === undefined ? STATES.map(kindOf) : [kindOf(state)];
      return (await Promise.all(kinds.map((kind) => documents<Incident>(database, kind)))).flat();
    },
    async incident(id) {
      const found = STATES.map((state) => documents<Incident>(database, kindOf(state), sql`id = ${id}`));
      return (await Promise.all(found)).flat()[0];
    },
    begin: async (turn) => void (await database.write([put('service', TURN, turn)])),
    save,
    forget: (incidentIds) => remove([...STATES.map(kindOf), 'snooze'], incidentIds),
    async snoozes() {
      const all = await documents<Snooze>(database, 'snooze');
      return new Map(all.map(({ incidentId, until }) => [incidentId, until]));
    },
    async snooze(incidentId, until) {
      if (until === null) await remove(['snooze'], [incidentId]);
      else await database.write([put('snooze', incidentId, { incidentId, until } satisfies Snooze)]);
    },
    async notices() {
      return (await documents<Notice>(database, 'notice')).toSorted((a, b) => a.createdAt - b.createdAt);
    },
    async saveNotice(notice) {
      await database.write([
        sql`UPDATE documents SET document = ${json(notice)} WHERE kind = ${'notice'} AND id = ${notice.id}`,
      ]);
    },
    removeNotices: (ids) => remove(['notice'], ids),
  };
}

const SETTINGS = 'settings';
const TURN = 'alerts turn';
const ALWAYS = sql`1 = 1`;

interface Snooze {
  readonly incidentId: string;
  readonly until: number;
}

const STATES = ['open', 'ended'] as const;

/** Open incidents have a kind of their own: they are few, and are read every few seconds. */
function kindOf(state: Incident['state']): DocumentKind {
  return state === 'open' ? 'incident' : 'ended incident';
}

function removal(kinds: readonly DocumentKind[], ids: readonly string[], only = ALWAYS): Statement {
  return sql`DELETE FROM documents WHERE kind IN (${list(kinds)}) AND id IN (${list(ids)}) AND ${only}`;
}

function put(kind: DocumentKind, id: string, document: unknown, only = ALWAYS): Statement {
  return sql`INSERT INTO documents (kind, id, document) SELECT ${kind}, ${id}, ${json(document)} WHERE ${only}
    ON CONFLICT (kind, id) DO UPDATE SET document = excluded.document`;
}
