import type { AlertStore, Incident, Notice, StoredAlertSettings } from '../../alerts/contract.ts';
import { revisionOf } from '../../core/revision.ts';
import { changeDocument, type DocumentKind, documents } from './documents.ts';
import { json, list, piecesOf, type Sql, type Statement, sql } from './sql.ts';

/** Everything about alerts as documents. */
export class RelationalAlertStore implements AlertStore {
  readonly #sql: Sql;

  constructor(database: Sql) {
    this.#sql = database;
  }

  async settings(): Promise<StoredAlertSettings | null> {
    return (await documents<StoredAlertSettings>(this.#sql, 'alerts', sql`id = ${SETTINGS}`))[0] ?? null;
  }

  saveSettings(settings: StoredAlertSettings): Promise<boolean> {
    return changeDocument<StoredAlertSettings>(this.#sql, 'alerts', SETTINGS, (now) =>
      revisionOf(settings) === (now ? revisionOf(now) : 1) + 1 ? settings : null,
    );
  }

  async incidents(state?: Incident['state']): Promise<Incident[]> {
    const kinds = state === undefined ? STATES.map(kindOf) : [kindOf(state)];
    return (await Promise.all(kinds.map((kind) => documents<Incident>(this.#sql, kind)))).flat();
  }

  async incident(id: string): Promise<Incident | undefined> {
    const found = STATES.map((state) => documents<Incident>(this.#sql, kindOf(state), sql`id = ${id}`));
    return (await Promise.all(found)).flat()[0];
  }

  async save(incidents: readonly Incident[], notices: readonly Notice[]): Promise<void> {
    const statements = [
      ...incidents.flatMap((incident) => [
        put(kindOf(incident.state), incident.id, incident),
        removal(STATES.filter((other) => other !== incident.state).map(kindOf), [incident.id]),
      ]),
      ...notices.map((notice) => put('notice', notice.id, notice)),
    ];
    if (statements.length > 0) await this.#sql.write(statements);
  }

  async forget(incidentIds: readonly string[]): Promise<void> {
    await this.#remove([...STATES.map(kindOf), 'snooze'], incidentIds);
  }

  async snoozes(): Promise<ReadonlyMap<string, number>> {
    const all = await documents<Snooze>(this.#sql, 'snooze');
    return new Map(all.map(({ incidentId, until }) => [incidentId, until]));
  }

  async snooze(incidentId: string, until: number | null): Promise<void> {
    if (until === null) await this.#remove(['snooze'], [incidentId]);
    else await this.#sql.write([put('snooze', incidentId, { incidentId, until } satisfies Snooze)]);
  }

  async notices(): Promise<readonly Notice[]> {
    return (await documents<Notice>(this.#sql, 'notice')).toSorted((a, b) => a.createdAt - b.createdAt);
  }

  async saveNotice(notice: Notice): Promise<void> {
    await this.save([], [notice]);
  }

  async removeNotices(ids: readonly string[]): Promise<void> {
    await this.#remove(['notice'], ids);
  }

  async #remove(kinds: readonly DocumentKind[], ids: readonly string[]): Promise<void> {
    for (const piece of piecesOf(ids)) {
      await this.#sql.write([removal(kinds, piece)]);
    }
  }
}

const SETTINGS = 'settings';

interface Snooze {
  readonly incidentId: string;
  readonly until: number;
}

const STATES = ['open', 'ended'] as const;

/** Those that are open are read every few seconds, and few. */
function kindOf(state: Incident['state']): DocumentKind {
  return state === 'open' ? 'incident' : 'ended incident';
}

function removal(kinds: readonly DocumentKind[], ids: readonly string[]): Statement {
  return sql`DELETE FROM documents WHERE kind IN (${list(kinds)}) AND id IN (${list(ids)})`;
}

function put(kind: DocumentKind, id: string, document: unknown): Statement {
  return sql`INSERT INTO documents (kind, id, document) VALUES (${kind}, ${id}, ${json(document)})
    ON CONFLICT (kind, id) DO UPDATE SET document = excluded.document`;
}
