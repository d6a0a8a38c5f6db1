import { type RejectedLine, rejectedJson } from '../../../../server/src/import/batches.ts';
import { digest } from '../../../../server/src/import/digest.ts';
import { ChangedFile, firstLine } from '../../../../server/src/import/lines.ts';
import { NOTHING_YET, type Progress, runImport } from '../../../../server/src/import/run.ts';
import { sendBatch } from '../../api/collection.ts';
import { openFile } from './import-file.ts';
import { importStore, type KeptImport } from './import-store.ts';

/** A refused line in the form of the file of refused lines. */
export interface RefusedLine {
  readonly line: number;
  readonly code: string;
  readonly message: string;
  readonly call: unknown;
}

export interface ImportView {
  /** `kept`: started before this page was loaded, and its file has not been chosen again. */
  readonly phase: 'looking' | 'none' | 'kept' | 'running' | 'pausing' | 'paused' | 'stopped' | 'over';
  readonly kept: KeptImport | null;
  /** Why the service takes nothing at the moment; null if it does. */
  readonly waiting: string | null;
  /** Why the import stopped. */
  readonly error: unknown;
  /** A chosen file that is not the file of the import. */
  readonly otherFile: File | null;
  /** The first refused lines. */
  readonly refused: readonly RefusedLine[];
  /** Number of refused lines at the last download. */
  readonly downloaded: number;
}

const SHOWN_REFUSED = 100;

/** Requests that run at once. A browser allows six connections for the whole page. */
const IN_FLIGHT = 3;
const GRACE_PERIOD_MS = 300_000;
/** Most characters of refused lines that are kept. Beyond, only their numbers and reasons are kept. */
const MOST_REFUSED = 64_000_000;

/** The import of a file into one source. It runs while its page is open. */
export class FileImport {
  readonly #sourceId: string;
  readonly #listeners = new Set<() => void>();
  #view: ImportView = {
    ...{ phase: 'looking', kept: null, waiting: null, error: null, otherFile: null, refused: [], downloaded: 0 },
  };
  #file: File | null = null;
  #pausing = new AbortController();

  constructor(sourceId: string) {
    this.#sourceId = sourceId;
  }

  readonly view = (): ImportView => this.#view;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Looks for an earlier import in this browser. */
  async look(): Promise<void> {
    if (this.#view.phase !== 'looking') return;
    try {
      const kept = await importStore.get(this.#sourceId);
      const texts =
        kept === null ? [] : await importStore.refused(this.#sourceId, (all) => linesIn(all).length === SHOWN_REFUSED);
      const phase = kept === null ? 'none' : kept.isOver ? 'over' : 'kept';
      this.#show({ phase, kept, refused: linesIn(texts) });
    } catch (error) {
      this.#show({ phase: 'none', error });
    }
  }

  /** Continues an import of the same file, or starts one. `restart` always starts from the beginning. */
  async run(file: File, writeKey: string, restart = false): Promise<void> {
    this.#file = file;
    this.#pausing = new AbortController();
    const { signal } = this.#pausing;
    const before = this.#view.phase;
    this.#show({ phase: 'running', error: null, otherFile: null, waiting: null });
    try {
      const lines = await openFile(file);
      const identity = digest(await firstLine(lines));
      let kept = restart ? null : await importStore.get(this.#sourceId);
      if (kept !== null && kept.identity !== identity) return this.#show({ phase: before, otherFile: file });
      if (kept === null) {
        kept = { ...{ sourceId: this.#sourceId, identity, progress: NOTHING_YET }, ...BEGINNING, ...nameOf(file) };
        await importStore.begin(kept);
        this.#show({ refused: [], downloaded: 0 });
      }
      this.#show({ kept });
      await runImport({
        ...{ identity, signal, inFlight: IN_FLIGHT, gracePeriod: GRACE_PERIOD_MS, begun: kept.progress },
        lines: lines.lines(kept.progress),
        send: (body, over) => sendBatch(writeKey, body, over),
        waiting: (waiting) => this.#show({ waiting }),
        advance: (progress, rejected) => this.#advance(progress, lines.share(progress), rejected),
      });
      if (signal.aborted) return this.#show({ phase: 'paused', waiting: null });
      await this.#keep({ share: 1, isOver: true, ...nameOf(file) });
      this.#show({ phase: 'over', waiting: null });
    } catch (error) {
      if (error instanceof ChangedFile) this.#show({ phase: before, otherFile: file });
      else if (signal.aborted) this.#show({ phase: 'paused', waiting: null });
      else this.#show({ phase: this.#view.kept === null ? 'none' : 'stopped', error, waiting: null });
    }
  }

  /** Whether a file was chosen since the page was loaded. */
  hasFile(): boolean {
    return this.#file !== null;
  }

  /** Continues with the file that was chosen. */
  goOn(writeKey: string): void {
    if (this.#file) void this.run(this.#file, writeKey);
  }

  /** Pauses after the running requests have ended. */
  pause(): void {
    if (this.#view.phase !== 'running') return;
    this.#pausing.abort();
    this.#show({ phase: 'pausing', waiting: null });
  }

  /** Deletes this browser's record of the import. The imported calls stay in the service. */
  async forget(): Promise<void> {
    await importStore.remove(this.#sourceId);
    this.#show({ phase: 'none', kept: null, error: null, otherFile: null, refused: [], downloaded: 0 });
  }

  /** All refused lines, as NDJSON. */
  async refusedFile(): Promise<string[]> {
    const downloaded = this.#view.kept?.progress.rejected ?? 0;
    const texts = await importStore.refused(this.#sourceId);
    this.#show({ downloaded });
    return texts;
  }

  async #advance(progress: Progress, share: number, rejected: readonly RejectedLine[]): Promise<void> {
    const length = this.#view.kept?.refusedLength ?? 0;
    const text = rejected.map((line) => rejectedJson(length < MOST_REFUSED ? line : { ...line, text: null })).join('');
    await this.#keep({ progress, share, isOver: false, refusedLength: length + text.length }, text);
    const { refused } = this.#view;
    if (text !== '' && refused.length < SHOWN_REFUSED) {
      this.#show({ refused: [...refused, ...linesIn([text])].slice(0, SHOWN_REFUSED) });
    }
  }

  async #keep(change: Partial<KeptImport>, refused = ''): Promise<void> {
    const { kept } = this.#view;
    if (kept === null) throw new Error('No import is under way');
    const next = { ...kept, ...change };
    await importStore.advance(kept, next, refused);
    this.#show({ kept: next });
  }

  #show(change: Partial<ImportView>): void {
    this.#view = { ...this.#view, ...change };
    for (const listener of this.#listeners) listener();
  }
}

const BEGINNING = { share: 0, isOver: false, refusedLength: 0 };

function nameOf({ name, size }: File): Pick<KeptImport, 'name' | 'size'> {
  return { name, size };
}

/** Reads only as many lines as are shown. */
function linesIn(texts: readonly string[]): RefusedLine[] {
  const lines: RefusedLine[] = [];
  for (const text of texts) {
    for (const line of text.split('\n')) {
      if (lines.length === SHOWN_REFUSED) return lines;
      if (line !== '') lines.push(JSON.parse(line) as RefusedLine);
    }
  }
  return lines;
}
