import type { Bench } from '../bench.ts';

export interface Scenario {
  /** As `--only` takes it; the ids of its figures begin with it. */
  readonly name: string;
  readonly title: string;
  /** What is done and how the figures are to be read, Markdown. */
  readonly about: string;
  run(bench: Bench): Promise<void>;
}
