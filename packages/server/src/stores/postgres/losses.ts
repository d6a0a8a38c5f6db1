import type { Loss, Losses } from '../../log/contract.ts';
import type { Database, Queries } from './database.ts';
import { documents, lockDocument, putDocument } from './documents.ts';

/** What the streams have lost, as documents of the service's own. */
export class PostgresLosses implements Losses {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async list(): Promise<readonly Loss[]> {
    const losses = await documents<Loss>(this.#database, 'loss');
    return losses.sort((a, b) => a.foundAt - b.foundAt);
  }

  note(id: string, now: number): Promise<boolean> {
    return this.#database.transaction(async (queries) => {
      const loss = await lockDocument<Loss>(queries, 'loss', id);
      if (loss?.notedAt === null) await putDocument(queries, 'loss', id, { ...loss, notedAt: now });
      return loss !== undefined;
    });
  }
}

/** Keeps a loss unless it is kept already. */
export async function addLoss(queries: Queries, loss: Omit<Loss, 'notedAt'>): Promise<void> {
  const document = JSON.stringify({ ...loss, notedAt: null } satisfies Loss);
  const sql = `INSERT INTO documents (kind, id, document) VALUES ('loss', $1, $2) ON CONFLICT DO NOTHING`;
  await queries.query(sql, [loss.id, document]);
}
