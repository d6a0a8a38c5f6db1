import type { Position } from '../core/event.ts';
import {
  type Exporter,
  type Importer,
  type MovedLane,
  type MovedPage,
  type MovedRow,
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
  const { exporter, importer, stream, signal, progress } = options;
  const begun = await importer.begin(exporter.fingerprint, () => stream.begin());
  const positions = new Positions(options);
  const events = exporter.events();
  const all = partNames().reduce((sum, part) => sum + exporter.size(part), events);
  /** Number of events and rows moved so far. */
  let done = 0;
  let movedEvents = 0;

  const report = (outcome: Moved['outcome']): Moved => ({ outcome, events, movedEvents, rows: all - events });
  if (begun.finished) return report('before');
  const isWhole = (await moveLog()) && (await moveParts()) && (await moveLanes());
  if (!isWhole) return report('interrupted');
  await importer.finish(options.adminToken);
  return report('finished');

  /** This and the next two functions answer false if the signal has aborted. */
  async function moveLog(): Promise<boolean> {
    const { lastPosition } = exporter;
    const marks = [...cutsOf((part) => rowsOf(exporter, part), lastPosition), lastPosition];
    let { through, ends } = begun;
    done = Math.max(0, events - (lastPosition - through));
    while (through < lastPosition) {
      if (signal.aborted) return false;
      const mark = marks.find((each) => each > through) ?? lastPosition;
      const page = exporter.log(through, mark);
      const placed = await stream.put(page, ends);
      through = page.at(-1)?.position ?? mark;
      ends = placed.ends;
      await importer.addEvents(page, placed, through, through === mark ? mark : null);
      movedEvents += page.length;
      advance(page.length, 'events');
    }
    return true;
  }

  async function moveParts(): Promise<boolean> {
    for (const part of partNames()) {
      let place: Place | null = begun.parts.get(part) ?? null;
      let isDone = begun.parts.has(part) && place === null;
      while (!isDone) {
        if (signal.aborted) return false;
        const page = exporter.page(part, place);
        await importer.add(part, await translated(part, page, positions));
        advance(page.rows.length, PARTS[part]);
        place = page.next;
        isDone = place === null;
      }
    }
    return true;
  }

  async function moveLanes(): Promise<boolean> {
    const moved = exporter.lanes();
    const lanes: MovedLane[] = [];
    for (const lane of moved.lanes) {
      const of = (position: Position): Promise<Position> => positions.lastOf(lane.sourceId, position);
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

  function advance(count: number, what: string): void {
    done += count;
    progress(all === 0 ? 1 : done / all, what);
  }
}

/** All rows of a part. */
function rowsOf(exporter: Exporter, part: Part): MovedRow[] {
  const rows: MovedRow[] = [];
  for (let place: Place | null = null; ; ) {
    const page: MovedPage = exporter.page(part, place);
    rows.push(...page.rows);
    if (page.next === null) return rows;
    place = page.next;
  }
}

function partNames(): Part[] {
  return Object.keys(PARTS) as Part[];
}
