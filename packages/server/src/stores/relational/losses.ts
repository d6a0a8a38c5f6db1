import type { Loss, Losses } from '../../log/contract.ts';
import { changeDocument, documents } from './documents.ts';
import type { Sql } from './sql.ts';

/** What the log has lost, as documents of the service's own. */
export class RelationalLosses implements Losses {
  readonly #sql: Sql;

  constructor(database: Sql) {
    this.#sql = database;
  }

  async list(): Promise<readonly Loss[]> {
    const losses = await documents<Loss>(this.#sql, 'loss');
    return losses.sort((a, b) => a.foundAt - b.foundAt);
  }

  async note(id: string, now: number): Promise<boolean> {
    let isThere = false;
    await changeDocument<Loss>(this.#sql, 'loss', id, (loss) => {
      isThere = loss !== undefined;
      return loss?.notedAt === null ? { ...loss, notedAt: now } : null;
    });
    return isThere;
  }

  /** Keeps a loss unless it is kept already. */
  async add(loss: Omit<Loss, 'notedAt'>): Promise<void> {
    await changeDocument<Loss>(this.#sql, 'loss', loss.id, (now) => (now ? null : { ...loss, notedAt: null }));
  }
}
