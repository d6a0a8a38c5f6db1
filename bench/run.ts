/** `npm run bench`: the plan. What is measured stands in scenarios/, in the order in which it is run. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Bench, withBench } from './bench.ts';
import { Figures } from './figures.ts';
import { HELP, type Options, parseOptions } from './options.ts';
import { machine, page, summary } from './report.ts';
import { roundsText } from './rounds.ts';
import { answers } from './scenarios/answers.ts';
import { backlog, clusterBacklog } from './scenarios/backlog.ts';
import { ceilings } from './scenarios/ceilings.ts';
import { client } from './scenarios/client.ts';
import { clusterIngest } from './scenarios/cluster-ingest.ts';
import { clusterLanes } from './scenarios/cluster-lanes.ts';
import { clusterNodes } from './scenarios/cluster-nodes.ts';
import { dedupe } from './scenarios/dedupe.ts';
import { endToEndScenario, instead } from './scenarios/end-to-end.ts';
import { idle } from './scenarios/idle.ts';
import { ingest } from './scenarios/ingest.ts';
import { latency } from './scenarios/latency.ts';
import { neighbours } from './scenarios/neighbours.ts';
import { pages } from './scenarios/pages.ts';
import { people } from './scenarios/people.ts';
import type { Scenario } from './scenarios/scenario.ts';
import { clusterSearch, search } from './scenarios/search.ts';
import { slowSync } from './scenarios/slow-sync.ts';
import { tenMillion } from './scenarios/ten-million.ts';
import { tls } from './scenarios/tls.ts';

const SCENARIOS = [
  ceilings,
  endToEndScenario,
  instead,
  tls,
  ingest,
  idle,
  latency,
  answers,
  neighbours,
  backlog,
  slowSync,
  dedupe,
  client,
  people,
  search,
  pages,
  clusterNodes,
  clusterLanes,
  clusterIngest,
  clusterBacklog,
  clusterSearch,
  tenMillion,
];
const PAGE = join(import.meta.dirname, '../docs/performance.md');
const ROUNDS = join(import.meta.dirname, 'rounds.ndjson');

const options = read();
const figures = new Figures();
await withBench(options, figures, async (bench) => {
  const setting = machine(bench.receiver.language);
  console.log(setting);
  for (const scenario of chosen(options)) await measure(scenario, bench);
  console.log(`\n${summary(figures)}`);
  if (!options.write) return;
  const before = await readFile(PAGE, 'utf8').catch(() => '');
  await writeFile(PAGE, page(SCENARIOS, figures, setting, before, options));
  const rounds = options.fold ? await readFile(ROUNDS, 'utf8').catch(() => '') : '';
  await writeFile(ROUNDS, roundsText(figures, setting, rounds));
  console.log('\nWritten to docs/performance.md and bench/rounds.ndjson');
});

/** A scenario that breaks is reported, and the others are still measured. */
async function measure(scenario: Scenario, bench: Bench): Promise<void> {
  const began = performance.now();
  console.log(`\n${scenario.title}`);
  try {
    await scenario.run(bench);
  } catch (error) {
    process.exitCode = 1;
    console.error(error);
    figures.skip(scenario.title, `broke: ${String(error).split('\n')[0]}`);
  } finally {
    await bench.processes.stopAll();
    console.log(`  (${scenario.name}: ${Math.round((performance.now() - began) / 1000)} s)`);
  }
}

function read(): Options {
  try {
    const options = parseOptions(process.argv.slice(2));
    if (options === null) {
      console.log(`${HELP}\nScenarios: ${SCENARIOS.map(({ name }) => name).join(', ')}`);
      process.exit(0);
    }
    chosen(options);
    return options;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  }
}

function chosen({ only }: Options): readonly Scenario[] {
  if (only === null) return SCENARIOS;
  return only.map((name) => {
    const scenario = SCENARIOS.find((candidate) => candidate.name === name);
    if (!scenario)
      throw new Error(`No scenario is called ${name}: there are ${SCENARIOS.map((s) => s.name).join(', ')}`);
    return scenario;
  });
}
