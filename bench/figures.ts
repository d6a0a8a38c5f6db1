import type { Usage } from './usage.ts';

/** One line of the report. */
export interface Figure {
  /** Stable name, `scenario/case/side`: targets and ratios are looked up by it. */
  readonly id: string;
  readonly what: string;
  /** Events per second; null where the rate was given or is not the point. */
  readonly perSecond?: number | null;
  /** CPU microseconds per event, of the measured process alone, kernel included. */
  readonly cpuMicros?: number | null;
  /** Milliseconds from the call's sending to its receipt by the endpoint, unless `note` says otherwise. */
  readonly p50?: number | null;
  readonly p99?: number | null;
  /** Megabytes resident at the end, and at most. */
  readonly rssMb?: number | null;
  readonly peakMb?: number | null;
  /** Seconds it took, where that is the point. */
  readonly seconds?: number | null;
  /** Nanoseconds until a call of a library returned, waited in a batch, was sent. */
  readonly returnNanos?: number | null;
  readonly queueNanos?: number | null;
  readonly sendNanos?: number | null;
  /** Bytes of heap per message that waits. */
  readonly queuedBytes?: number | null;
  /** Size of the code, minified and compressed. */
  readonly gzipBytes?: number | null;
  /** CPU microseconds per event of what a cluster stands on: all NATS servers together, and PostgreSQL. */
  readonly natsMicros?: number | null;
  readonly postgresMicros?: number | null;
  /** Percent of one core, of the nodes, of all NATS servers together, of PostgreSQL. */
  readonly nodePercent?: number | null;
  readonly natsPercent?: number | null;
  readonly postgresPercent?: number | null;
  /** Megabytes resident of all NATS servers together. */
  readonly natsRssMb?: number | null;
  /** Milliseconds for each lane that was opened. */
  readonly laneMillis?: number | null;
  /** Id of the figure whose rate this one is held against. */
  readonly against?: string;
  readonly note?: string;
}

const NUMBERS = [
  'perSecond',
  'cpuMicros',
  'p50',
  'p99',
  'rssMb',
  'peakMb',
  'seconds',
  'returnNanos',
  'queueNanos',
  'sendNanos',
  'queuedBytes',
  'gzipBytes',
  'natsMicros',
  'postgresMicros',
  'nodePercent',
  'natsPercent',
  'postgresPercent',
  'natsRssMb',
  'laneMillis',
] as const satisfies readonly (keyof Figure)[];

/** The figures of one run. Those recorded again under one id (rounds of a comparison) become their median. */
export class Figures {
  readonly #byId = new Map<string, Figure[]>();
  readonly #skipped: string[] = [];

  record(figure: Figure): void {
    this.#byId.set(figure.id, [...(this.#byId.get(figure.id) ?? []), figure]);
    console.log(`  ${line(figure)}`);
  }

  /** Says loudly that something was not measured, and why. */
  skip(what: string, why: string): void {
    this.#skipped.push(`${what}: ${why}`);
    console.log(`  SKIPPED ${what}: ${why}`);
  }

  skipped(): readonly string[] {
    return this.#skipped;
  }

  get(id: string): Figure | undefined {
    const rounds = this.#byId.get(id);
    const last = rounds?.at(-1);
    if (!rounds || !last || rounds.length === 1) return last;
    const middle = (name: (typeof NUMBERS)[number]): number | null =>
      median(rounds.map((figure) => figure[name]).filter((value) => typeof value === 'number'));
    return { ...last, ...Object.fromEntries(NUMBERS.map((name) => [name, middle(name)])) };
  }

  /** Every round of every figure, as it was recorded. */
  rounds(): readonly Figure[] {
    return [...this.#byId.values()].flat();
  }

  /** The smallest and the largest of a number in the rounds of a figure; null where there was one round, or no number. */
  range(id: string, name: 'perSecond' | 'cpuMicros'): readonly [number, number] | null {
    const values = (this.#byId.get(id) ?? [])
      .map((figure) => figure[name])
      .filter((value) => typeof value === 'number');
    return values.length < 2 ? null : [Math.min(...values), Math.max(...values)];
  }

  /** In the order of their first recording. */
  of(scenario: string): readonly Figure[] {
    return [...this.#byId.keys()].filter((id) => id.startsWith(`${scenario}/`)).flatMap((id) => this.get(id) ?? []);
  }
}

/** CPU microseconds per event between two readings of one process. */
export function cpuMicros(before: Usage | null, after: Usage | null, events: number): number | null {
  return before && after && events > 0 ? ((after.cpuSeconds - before.cpuSeconds) / events) * 1e6 : null;
}

function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}

function line(figure: Figure): string {
  const parts = [
    figure.what,
    typeof figure.perSecond === 'number' ? `${Math.round(figure.perSecond).toLocaleString('en')}/s` : '',
    typeof figure.cpuMicros === 'number' ? `${figure.cpuMicros.toFixed(1)} µs CPU` : '',
    typeof figure.p99 === 'number' ? `p50 ${figure.p50?.toFixed(1)} ms, p99 ${figure.p99.toFixed(1)} ms` : '',
    typeof figure.rssMb === 'number' ? `RSS ${Math.round(figure.rssMb)} MB` : '',
    typeof figure.peakMb === 'number' ? `at most ${Math.round(figure.peakMb)} MB` : '',
    typeof figure.seconds === 'number' ? `${figure.seconds.toFixed(2)} s` : '',
    typeof figure.returnNanos === 'number' ? `${Math.round(figure.returnNanos)} ns to return` : '',
    typeof figure.queueNanos === 'number' ? `${Math.round(figure.queueNanos)} ns to queue` : '',
    typeof figure.sendNanos === 'number' ? `${Math.round(figure.sendNanos)} ns to send` : '',
    typeof figure.queuedBytes === 'number' ? `${Math.round(figure.queuedBytes)} bytes queued` : '',
    typeof figure.gzipBytes === 'number' ? `${(figure.gzipBytes / 1000).toFixed(1)} kB gzip` : '',
    typeof figure.natsMicros === 'number' ? `NATS ${figure.natsMicros.toFixed(1)} µs CPU` : '',
    typeof figure.postgresMicros === 'number' ? `PostgreSQL ${figure.postgresMicros.toFixed(1)} µs CPU` : '',
    typeof figure.nodePercent === 'number' ? `nodes ${figure.nodePercent.toFixed(1)} % of a core` : '',
    typeof figure.natsPercent === 'number' ? `NATS ${figure.natsPercent.toFixed(1)} %` : '',
    typeof figure.postgresPercent === 'number' ? `PostgreSQL ${figure.postgresPercent.toFixed(1)} %` : '',
    typeof figure.natsRssMb === 'number' ? `NATS RSS ${Math.round(figure.natsRssMb)} MB` : '',
    typeof figure.laneMillis === 'number' ? `${figure.laneMillis.toFixed(1)} ms a lane` : '',
    figure.note ?? '',
  ];
  return parts.filter((part) => part !== '').join(' · ');
}
