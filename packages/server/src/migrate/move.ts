import type { Position } from '../core/event.ts';
import {
  type Exporter,
  type Importer,
  type MovedLane,
  type MovedPage,
  type MovedRow,
  type MoveProgress,
  PARTS,
  type Part,
  type Place,
  type StreamImporter,
} from './contract.ts';
import { translated } from './moved-rows.ts';
import { cutsOf, Positions } from './positions.ts';

export interface MoveOptions {
  readonly exporter: Exporter;
  readonly importer: Importer;
  readonly stream: StreamImporter;
  /** Hash of the admin token stored in the folder; null if there is none. */
  readonly adminToken: string | null;
  /** When it aborts, the move ends after the current step. */
  readonly signal: AbortSignal;
  /** Receives the moved share, from 0 to 1, and the name of what is being moved. */
  readonly progress: (share: number, text: string) => void;
}

export interface Moved {
  /** `before`: an earlier run has moved everything. */
  readonly outcome: 'finished' | 'before' | 'interrupted';
  /** Number of events in the folder, number of events this run has moved, and number of other rows. */
  readonly events: number;
  readonly movedEvents: number;
  readonly rows: number;
}

/** Lanes whose consumers are created at the same time. */
const LANES = 32;

/**
 * Moves a data folder to a cluster, or continues an interrupted move. The log is moved first: all other data refers to its
 * positions, which are translated.
 */
export async function move(options: MoveOptions): Promise<Moved> {
  const { exporter, importer, stream } = options;
  const begun = await importer.begin(exporter.fingerprint, () => stream.begin());
  const mover = new Mover(options, begun);
  if (begun.finished) return mover.report('before');
  const done = (await mover.moveLog()) && (await mover.moveParts()) && (await mover.moveLanes());
  if (!done) return mover.report('interrupted');
  await importer.finish(options.adminToken);
  return mover.report('finished');
}

class Mover {
  readonly #options: MoveOptions;
  readonly #begun: MoveProgress;
  readonly #positions: Positions;
  readonly #sizes: ReadonlyMap<Part, number>;
  readonly #events: number;
  readonly #all: number;
  /** Number of events and rows moved so far. */
  #done = 0;
  #movedEvents = 0;

  constructor(options: MoveOptions, begun: MoveProgress) {
    this.#options = options;
    this.#begun = begun;
    this.#positions = new Positions(options);
    const { exporter } = options;
    this.#sizes = new Map(partNames().map((part) => [part, exporter.size(part)]));
    this.#events = exporter.events();
    this.#all = [...this.#sizes.values()].reduce((sum, size) => sum + size, this.#events);
  }

  report(outcome: Moved['outcome']): Moved {
    return {
      outcome,
      events: this.#events,
      movedEvents: this.#movedEvents,
      rows: this.#all - this.#events,
    };
  }

  /** This and the next two methods answer false if the signal has aborted. */
  async moveLog(): Promise<boolean> {
    const { exporter, importer, stream, signal } = this.#options;
    const { lastPosition } = exporter;
    const marks = [...cutsOf((part) => this.#rows(part), lastPosition), lastPosition];
    let { through, ends } = this.#begun;
    this.#done = Math.max(0, this.#events - (exporter.lastPosition - through));
    while (through < exporter.lastPosition) {
      if (signal.aborted) return false;
      const mark = marks.find((each) => each > through) ?? exporter.lastPosition;
      const events = exporter.log(through, mark);
      const placed = await stream.put(events, ends);
      through = events.at(-1)?.position ?? mark;
      ends = placed.ends;
      await importer.addEvents(events, placed, through, through === mark ? mark : null);
      this.#movedEvents += events.length;
      this.#advance(events.length, 'events');
    }
    return true;
  }

  async moveParts(): Promise<boolean> {
    const { exporter, importer, signal } = this.#options;
    for (const part of partNames()) {
      let place: Place | null = this.#begun.parts.get(part) ?? null;
      let isDone = this.#begun.parts.has(part) && place === null;
      while (!isDone) {
        if (signal.aborted) return false;
        const page = exporter.page(part, place);
        await importer.add(part, await translated(part, page, this.#positions));
        this.#advance(page.rows.length, PARTS[part]);
        place = page.next;
        isDone = place === null;
      }
    }
    return true;
  }

  async moveLanes(): Promise<boolean> {
    const { exporter, importer, stream, signal } = this.#options;
    const moved = exporter.lanes();
    const lanes: MovedLane[] = [];
    for (const lane of moved.lanes) {
      const of = (position: Position): Promise<Position> => this.#positions.lastOf(lane.sourceId, position);
      const after = await of(lane.after);
      lanes.push({
        ...lane,
        after,
        until: lane.until === null ? null : Math.max(after, await of(lane.until)),
        settledThrough: Math.max(after, await of(lane.settledThrough)),
      });
    }
    await importer.addLanes({ ...moved, lanes }, exporter.totals(), exporter.counters());
    for (let i = 0; i < lanes.length; i += LANES) {
      if (signal.aborted) return false;
      await Promise.all(lanes.slice(i, i + LANES).map((lane) => stream.beginLane(lane, lane.settledThrough)));
    }
    return true;
  }

  #rows(part: Part): MovedRow[] {
    const rows: MovedRow[] = [];
    for (let place: Place | null = null; ; ) {
      const page: MovedPage = this.#options.exporter.page(part, place);
      rows.push(...page.rows);
      if (page.next === null) return rows;
      place = page.next;
    }
  }

  #advance(count: number, what: string): void {
    this.#done += count;
    this.#options.progress(this.#all === 0 ? 1 : this.#done / this.#all, what);
  }
}

function partNames(): Part[] {
  return Object.keys(PARTS) as Part[];
}
