import { availableParallelism, cpus, totalmem } from 'node:os';
import type { Figure, Figures } from './figures.ts';
import type { Scenario } from './scenarios/scenario.ts';
import { targets } from './targets.ts';
import { readPage } from './written-page.ts';

const HAND_WRITTEN = '<!-- Below this line the text is written by hand; `npm run bench` keeps it. -->';

/**
 * The page for docs/performance.md: generated, but for what stands below the line in the page that was there. With `fold`
 * it keeps the parts of that page that these figures say nothing about.
 */
export function page(
  scenarios: readonly Scenario[],
  figures: Figures,
  setting: string,
  before: string,
  { fold = false }: { fold?: boolean } = {},
): string {
  const at = before.indexOf(HAND_WRITTEN);
  const handWritten = at < 0 ? '\n\n## Profiles\n' : before.slice(at + HAND_WRITTEN.length);
  const kept = fold ? readPage(at < 0 ? before : before.slice(0, at)) : null;
  const sections = scenarios.map(
    (scenario) =>
      section(scenario, figures, kept && `Measured in a run of its own: ${setting}`) ||
      (kept?.sections.get(scenario.title) ?? ''),
  );
  return [
    '# Performance',
    `Made by \`npm run bench\`, which measures everything on this page in one run, but for sections that say otherwise, on one
machine, over loopback, with the load generator and the receiver on the same cores. Rates are events per second; CPU is that
of the measured process alone, all its threads and the kernel's part included. Of several rounds, in turn, the median is shown
and the range; each of them stands in \`bench/rounds.ndjson\`.`,
    headline(figures) || (kept?.headline ?? ''),
    kept?.setting || setting,
    '## Targets',
    targetTable(figures, kept?.targets),
    ...sections,
    notMeasured([...(kept?.skipped ?? []).filter((text) => !isOf(text, scenarios, figures)), ...figures.skipped()]),
    HAND_WRITTEN + handWritten,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** What the whole page comes down to. */
function headline(figures: Figures): string {
  const perSecond = (id: string): string => whole(1e6 / (figures.get(id)?.cpuMicros ?? Number.NaN));
  const [product, strawMan] = [perSecond('end-to-end/product'), perSecond('end-to-end/straw-man')];
  return product === 'NaN' || strawMan === 'NaN'
    ? ''
    : `**${product} deliveries per CPU-second** of all processes of the service: 1 KB each, synced before the 200, signed, every attempt
recorded, what the service leaves for later counted (batches of 100, one URL, the median of all rounds). Of the straw
man: ${strawMan}.`;
}

/** The targets and what was not measured, for the terminal. */
export function summary(figures: Figures): string {
  return [targetTable(figures), notMeasured(figures.skipped())].filter((part) => part !== '').join('\n\n');
}

export function machine(receiver: string): string {
  const memory = Math.round(totalmem() / 2 ** 30);
  const model = cpus()[0]?.model ?? 'unknown processor';
  return `${availableParallelism()} cores (${model}), ${memory} GB, ${process.platform} ${process.arch}, Node ${process.version}, receiver in ${receiver}, ${new Date().toISOString().slice(0, 10)}.`;
}

function section({ name, title, about }: Scenario, figures: Figures, remark: string | null): string {
  const rows = figures.of(name);
  if (rows.length === 0) return '';
  const columns = COLUMNS.filter(({ cell }) => rows.some((row) => cell(row, figures) !== ''));
  const body = rows.map((row) => columns.map(({ cell }) => cell(row, figures)));
  return [
    `## ${title}`,
    about,
    ...(remark === null ? [] : [remark]),
    table(
      columns.map(({ head }) => head),
      body,
    ),
  ].join('\n\n');
}

const COLUMNS: readonly { head: string; cell(figure: Figure, figures: Figures): string }[] = [
  { head: 'What', cell: ({ what }) => what },
  { head: 'Events/s', cell: ({ perSecond }) => whole(perSecond) },
  { head: 'From – to', cell: ({ id }, figures) => rangeCell(figures.range(id, 'perSecond'), whole) },
  { head: 'Ratio', cell: ratioCell },
  { head: 'CPU µs/event', cell: ({ cpuMicros }) => fixed(cpuMicros, 1) },
  {
    head: 'From – to',
    cell: ({ id }, figures) => rangeCell(figures.range(id, 'cpuMicros'), (value) => fixed(value, 1)),
  },
  { head: 'NATS µs', cell: ({ natsMicros }) => fixed(natsMicros, 1) },
  { head: 'PostgreSQL µs', cell: ({ postgresMicros }) => fixed(postgresMicros, 1) },
  { head: 'Nodes %', cell: ({ nodePercent }) => fixed(nodePercent, 1) },
  { head: 'NATS %', cell: ({ natsPercent }) => fixed(natsPercent, 1) },
  { head: 'PostgreSQL %', cell: ({ postgresPercent }) => fixed(postgresPercent, 1) },
  { head: 'p50 ms', cell: ({ p50 }) => fixed(p50, 1) },
  { head: 'p99 ms', cell: ({ p99 }) => fixed(p99, 1) },
  { head: 'RSS MB', cell: ({ rssMb }) => whole(rssMb) },
  { head: 'RSS at most', cell: ({ peakMb }) => whole(peakMb) },
  { head: 'NATS RSS MB', cell: ({ natsRssMb }) => whole(natsRssMb) },
  { head: 'ms a lane', cell: ({ laneMillis }) => fixed(laneMillis, 1) },
  { head: 'Seconds', cell: ({ seconds }) => fixed(seconds, 2) },
  { head: 'ns to return', cell: ({ returnNanos }) => whole(returnNanos) },
  { head: 'ns to queue', cell: ({ queueNanos }) => whole(queueNanos) },
  { head: 'ns to send', cell: ({ sendNanos }) => whole(sendNanos) },
  { head: 'Bytes queued', cell: ({ queuedBytes }) => whole(queuedBytes) },
  { head: 'kB gzip', cell: ({ gzipBytes }) => fixed(typeof gzipBytes === 'number' ? gzipBytes / 1000 : null, 1) },
  { head: 'Note', cell: ({ note }) => note ?? '' },
];

function rangeCell(range: readonly [number, number] | null, show: (value: number) => string): string {
  return range === null ? '' : range.map(show).join(' – ');
}

function ratioCell({ perSecond, against }: Figure, figures: Figures): string {
  const base = against === undefined ? null : figures.get(against)?.perSecond;
  return typeof perSecond === 'number' && typeof base === 'number' ? (perSecond / base).toFixed(2) : '';
}

function targetTable(figures: Figures, kept: ReadonlyMap<string, readonly string[]> = new Map()): string {
  const rows = targets(figures).flatMap(({ what, wanted, reached, met }) => {
    const row = reached === null ? kept.get(what) : [what, wanted, reached, met ? 'yes' : '**no**'];
    return row === undefined ? [] : [row];
  });
  return rows.length === 0 ? '' : table(['What', 'Target', 'Measured', 'Met'], rows);
}

function notMeasured(skipped: readonly string[]): string {
  const items = [...new Set(skipped)].map((text) => `- ${text}`);
  return items.length === 0 ? '' : ['## Not measured', items.join('\n')].join('\n\n');
}

/** Whether what was skipped is a scenario that has figures now. */
function isOf(skipped: string, scenarios: readonly Scenario[], figures: Figures): boolean {
  return scenarios.some(({ name, title }) => skipped.startsWith(`${title}: `) && figures.of(name).length > 0);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rule = head.map((_, i) => (i === 0 ? '---' : '--:'));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}

function whole(value: number | null | undefined): string {
  return typeof value === 'number' ? Math.round(value).toLocaleString('en') : '';
}

function fixed(value: number | null | undefined, digits: number): string {
  return typeof value === 'number' ? value.toFixed(digits) : '';
}
