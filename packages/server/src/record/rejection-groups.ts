import pLimit from 'p-limit';
import type { Clock } from '../core/clock.ts';
import { Recurring } from '../core/recurring.ts';
import type { RejectionGroup } from '../core/rejection.ts';
import type { RejectionStore } from './contract.ts';

export interface RejectionGroupsOptions {
  readonly store: RejectionStore;
  /** Refused calls that are not in the store yet: see Rejections. */
  readonly refused: {
    take(): readonly RejectionGroup[];
    putBack(): void;
    erased(): readonly RejectionGroup[];
  };
  readonly clock: Clock;
  /** Called for each error of the store; the next turn tries again. */
  readonly failed: (error: unknown) => void;
}

const FLUSH_MS = 5_000;

/** Writes groups of refused calls to the store every few seconds and at the stop; no request waits for it. */
export class RejectionGroups extends Recurring {
  readonly #options: RejectionGroupsOptions;
  readonly #flush: () => Promise<void>;

  constructor(options: RejectionGroupsOptions) {
    const inTurn = pLimit(1);
    const { store, refused, failed } = options;
    /** Groups whose examples were erased while they were being written. A write that failed may have stored them too. */
    let late: readonly RejectionGroup[] = [];
    const removeLate = async (): Promise<void> => {
      if (late.length > 0) await store.removeExamples(late);
      late = [];
    };
    const add = async (): Promise<void> => {
      const groups = refused.take();
      if (groups.length === 0) return;
      try {
        await store.add(groups);
      } catch (error) {
        refused.putBack();
        throw error;
      } finally {
        late = refused.erased();
      }
    };
    const write = async (): Promise<void> => {
      try {
        // Those of the turn before.
        await removeLate();
        await add();
        await removeLate();
      } catch (error) {
        failed(error);
      }
    };
    const flush = (): Promise<void> => inTurn(write);
    super({ clock: options.clock, every: FLUSH_MS, run: flush });
    this.#options = options;
    this.#flush = flush;
  }

  override async stop(): Promise<void> {
    await super.stop();
    await this.#flush();
  }

  /** See RejectionStore.groups; includes the calls that this process refused until now. */
  async list(sourceId: string | null, most?: number): Promise<readonly RejectionGroup[]> {
    await this.#flush();
    return this.#options.store.groups(sourceId, most);
  }

  /** Removes the examples for which `holds` answers true. */
  async erase(holds: (example: string) => boolean): Promise<void> {
    const groups = await this.list(null);
    await this.#options.store.removeExamples(groups.filter(({ example }) => holds(example)));
  }
}
