import { parseArgs } from 'node:util';

export interface Options {
  /** Names of the scenarios to run; null runs all. */
  readonly only: readonly string[] | null;
  /** Short measurements, to look at only. */
  readonly quick: boolean;
  /** Seconds of one measurement. */
  readonly seconds: number;
  /** Seconds of the load before it, which lets the compilers do their work. */
  readonly warmSeconds: number;
  /** How often the sides of a comparison are measured, in turn. */
  readonly rounds: number;
  /** Messages that wait while another lane is measured. */
  readonly backlog: number;
  /** Persons in the people scenario, each with ten events. */
  readonly people: number;
  /** Most lanes in the scenario of the lanes of a cluster. */
  readonly lanes: number;
  /** Also measures what takes many minutes and many gigabytes of disk. */
  readonly full: boolean;
  /** Folder for CPU profiles of the product; null makes none. */
  readonly profile: string | null;
  /** Writes docs/performance.md. */
  readonly write: boolean;
  /** Keeps of it what this run doesn't measure. */
  readonly fold: boolean;
}

export const HELP = `npm run bench -- [options]

Measures the service against the ceilings of this machine, against a straw man and against BullMQ + Redis, and the client
library against Segment's, all in one run, and writes docs/performance.md. Everything stays on loopback and in a
temporary folder.

  --quick         short measurements: about 90 seconds, numbers to look at only; docs/performance.md stays as it is
  --full          also 10 million events in the log and 100 million message ids (20 GB of disk, 15 minutes more)
  --only A,B      only these scenarios
  --fold          with --only: writes their sections into docs/performance.md and keeps the others
  --seconds N     length of one measurement (default 3, quick 1)
  --backlog N     messages that wait in the backlog scenarios (default 1000000, quick 50000)
  --people N      persons of the people scenario, with ten events each (default 100000, full 1000000, quick 5000). They are
                  made once a day, in the folder for temporary files: a million take 3 GB and some ten minutes
  --lanes N       most lanes of the cluster-lanes scenario (default 1000, full 10000, quick 100)
  --profile DIR   leaves CPU profiles of the product in DIR; \`node bench/profile.ts DIR\` reads them
  --no-write      leaves docs/performance.md as it is (so does --only without --fold)
  --help          this text, with the names of the scenarios
`;

/** The options of a command line, or null when it asks for help. Throws on what it doesn't know. */
export function parseOptions(argv: readonly string[]): Options | null {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      quick: { type: 'boolean', default: false },
      full: { type: 'boolean', default: false },
      only: { type: 'string' },
      fold: { type: 'boolean', default: false },
      seconds: { type: 'string' },
      backlog: { type: 'string' },
      people: { type: 'string' },
      lanes: { type: 'string' },
      profile: { type: 'string' },
      'no-write': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  const { quick, full, fold } = values;
  if (fold && values.only === undefined)
    throw new Error('--fold keeps what --only leaves out: give --only, or neither');
  return {
    quick,
    only: values.only?.split(',') ?? null,
    seconds: positive(values.seconds, quick ? 1 : 3, '--seconds'),
    warmSeconds: quick ? 0.5 : 2,
    rounds: quick ? 1 : 5,
    backlog: positive(values.backlog, quick ? 50_000 : 1_000_000, '--backlog'),
    people: positive(values.people, quick ? 5_000 : full ? 1_000_000 : 100_000, '--people'),
    lanes: positive(values.lanes, quick ? 100 : full ? 10_000 : 1_000, '--lanes'),
    full,
    profile: values.profile ?? null,
    write: !quick && !values['no-write'] && (values.only === undefined || fold),
    fold,
  };
}

function positive(text: string | undefined, fallback: number, name: string): number {
  const value = text === undefined ? fallback : Number(text);
  if (!(value > 0)) throw new Error(`${name} must be a number above 0, not ${text}`);
  return value;
}
