import type { Regulation, RegulationStore, Subject, Suppression } from '../../regulations/contract.ts';
import type { Calls, Thread } from '../../threads/thread.ts';
import type { Reader } from './reader.ts';
import type { RegulationReads } from './regulation-reads.ts';
import type { RegulationWrites } from './regulation-writes.ts';
import type { Writer } from './writer.ts';

/** Regulations and suppressions in `millrace.db`. */
export class SqliteRegulationStore implements RegulationStore {
  readonly #writer: Calls<RegulationWrites>;
  readonly #reader: Calls<RegulationReads>;

  constructor(writer: Thread<Writer>, queryReader: Thread<Reader>) {
    this.#writer = writer.part('regulations');
    this.#reader = queryReader.part('regulations');
  }

  create(regulation: Regulation, userIds: readonly string[]): Promise<void> {
    return this.#writer.call('create', [regulation, userIds]);
  }

  save(regulation: Regulation, subjects: readonly Subject[] = []): Promise<void> {
    return this.#writer.call('save', [regulation, subjects]);
  }

  regulations(): Promise<readonly Regulation[]> {
    return this.#reader.call('regulations', []);
  }

  subjects(regulationId: string, from: number, limit: number): Promise<readonly Subject[]> {
    return this.#reader.call('subjects', [regulationId, from, limit]);
  }

  delete(regulationId: string): Promise<void> {
    return this.#writer.call('delete', [regulationId]);
  }

  lift(userId: string): Promise<boolean> {
    return this.#writer.call('lift', [userId]);
  }

  suppressions(): Promise<readonly Suppression[]> {
    return this.#reader.call('suppressions', []);
  }
}
