import { statfs } from 'node:fs/promises';
import type { Clock } from '../core/clock.ts';
import { Recurring } from '../core/recurring.ts';

/** The reserve: a twentieth of the disk, at most 2 GiB. */
const SHARE = 1 / 20;
const MOST_BYTES = 2 * 1024 ** 3;
const LOOK_MS = 2_000;

export interface DiskRoomOptions {
  readonly folder: string;
  readonly clock: Clock;
  /** Called when the free room falls below the reserve, and when there is room again. */
  readonly changed: (isShort: boolean) => void;
  readonly failed: (error: unknown) => void;
}

/** Checks regularly whether a disk has more free room than the reserve. */
export class DiskRoom extends Recurring {
  readonly #state: { isShort: boolean };

  constructor({ folder, clock, changed, failed }: DiskRoomOptions) {
    const state = { isShort: false };
    const run = async (): Promise<void> => {
      try {
        const { blocks, bavail, bsize } = await statfs(folder);
        const isShort = bavail * bsize < Math.min(blocks * bsize * SHARE, MOST_BYTES);
        if (isShort !== state.isShort) changed(isShort);
        state.isShort = isShort;
      } catch (error) {
        failed(error);
      }
    };
    super({ clock, every: LOOK_MS, run });
    this.#state = state;
  }

  get isShort(): boolean {
    return this.#state.isShort;
  }
}
