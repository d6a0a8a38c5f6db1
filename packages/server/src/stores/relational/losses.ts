import type { Loss, Losses } from '../../log/contract.ts';
import { changeDocument, documents } from './documents.ts';
import type { Sql } from './sql.ts';

/** The losses of the log, as documents of the service itself. */
export function keptLosses(database: Sql): Losses {
  return {
    async list() {
      const losses = await documents<Loss>(database, 'loss');
      return losses.sort((a, b) => a.foundAt - b.foundAt);
    },
    async note(id, now) {
      let isThere = false;
      await changeDocument<Loss>(database, 'loss', id, (loss) => {
        isThere = loss !== undefined;
        return loss?.notedAt === null ? { ...loss, notedAt: now } : null;
      });
      return isThere;
    },
  };
}

/** Stores a loss unless it is stored already. */
export async function keepLoss(database: Sql, loss: Omit<Loss, 'notedAt'>): Promise<void> {
  await changeDocument<Loss>(database, 'loss', loss.id, (now) => (now ? null : { ...loss, notedAt: null }));
}
