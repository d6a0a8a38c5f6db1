import { hash } from './random.ts';

/** What happened, line by line: kept when it is asked for, and in any case as a hash that two runs can compare. */
export class Trace {
  readonly lines: string[] = [];
  readonly #keep: boolean;
  readonly #start: number;
  #hash = 0;
  #count = 0;

  constructor(start: number, keep: boolean) {
    this.#start = start;
    this.#keep = keep;
  }

  note(now: number, line: string): void {
    this.#count++;
    this.#hash = hash(line, hash(String(now), this.#hash));
    if (this.#keep) this.lines.push(`${elapsed(now - this.#start)} ${line}`);
  }

  get digest(): string {
    return `${this.#count}:${this.#hash.toString(16)}`;
  }
}

/** `1:02:03.004` */
function elapsed(ms: number): string {
  const two = (n: number): string => String(Math.floor(n)).padStart(2, '0');
  const rest = String(Math.floor(ms % 1000)).padStart(3, '0');
  return `${Math.floor(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}.${rest}`;
}
