import { gzipSync } from 'node:zlib';
import type { Source } from '../../../packages/server/src/admin/contract.ts';
import { ADMIN_TOKEN } from '../kit/service.ts';
import { worstBodies } from './bodies.ts';
import type { Asked, Meter } from './meter.ts';
import { type WorstHead, worstHeads } from './parameters.ts';
import type { Document, Route } from './routes.ts';
import type { Worst } from './shapes.ts';
import type { State } from './state.ts';
import { Turns } from './turns.ts';

/** A request that is to be measured. */
export interface Case {
  readonly name: string;
  readonly make: () => Promise<Asked>;
}

/** Largest first: what a route's body may have is the first that it does not call too large. */
const SIZES = [32, 16, 8, 4, 2, 1, 0.5]
  .map((megabytes) => megabytes * 1_048_576)
  .concat(512_000, 65_536, 32_768, 16_384);

/** Routes that share what they take: the first of a kind is tried with all that was dealt to it, the others with one of so many. */
const SHARE = 8;
/** The routes of single calls read them by the same code, so none of them is the first. */
const SINGLE_SHARE = 4;
const ZIPPED = 16;

export class Requests {
  readonly #document: Document;
  readonly #state: State;
  readonly #meter: Meter;
  /** Bodies that were described before: routes that take the same share what it is tried with. */
  readonly #seen = new Map<string, number>();
  readonly #turns = new Turns();
  #size = 0;

  constructor(document: Document, state: State, meter: Meter) {
    this.#document = document;
    this.#state = state;
    this.#meter = meter;
  }

  /** Everything that a route is tried with. */
  async of(route: Route): Promise<Case[]> {
    const heads = worstHeads(route, this.#state.known, this.#turns).map((head) => this.#headCase(route, head));
    if (route.body === null) return heads;
    const bytes = await this.#limit(route);
    const own = this.#share(route, worstBodies(route, this.#document, this.#state.known, this.#turns));
    const zipped = route.collects ? own.filter((_, n) => n % ZIPPED === 0) : [];
    return [
      ...own.map((worst) => this.#bodyCase(route, worst, bytes)),
      ...zipped.map((worst) => this.#bodyCase(route, worst, bytes, true)),
      ...(route.collects ? [this.#bombCase(route)] : []),
      ...heads,
    ];
  }

  #share(route: Route, all: readonly Worst[]): readonly Worst[] {
    if (route.collects && !takesBatch(route)) return this.#turns.deal('single calls', all, SINGLE_SHARE);
    // Which of the files it is tried with was dealt before.
    if (route.path.includes('settings-file')) return all;
    const key = JSON.stringify(route.body);
    const seen = this.#seen.get(key) ?? 0;
    this.#seen.set(key, seen + 1);
    return seen === 0 ? all : all.filter((_, n) => n % SHARE === seen % SHARE);
  }

  #headCase(route: Route, { name, path, query, headers }: WorstHead): Case {
    return {
      name: `${route.name}, ${name}`,
      make: async () => {
        const body = route.body === null ? {} : { body: '{}' };
        return { ...(await this.#asked(route, path, query)), headers: { ...this.headers(route), ...headers }, ...body };
      },
    };
  }

  #bodyCase(route: Route, worst: Worst, bytes: number, zip = false): Case {
    return {
      name: `${route.name}, ${worst.name}${zip ? ', gzip' : ''}`,
      make: async () => {
        const text = worst.make(bytes, this.#meter.once());
        const headers = { ...this.headers(route), ...(zip ? { 'content-encoding': 'gzip' } : {}) };
        return { ...(await this.#asked(route, {}, '')), headers, body: zip ? gzipSync(text) : text };
      },
    };
  }

  #bombCase(route: Route): Case {
    return {
      name: `${route.name}, a bomb`,
      make: async () => {
        const headers = { ...this.headers(route), 'content-encoding': 'gzip' };
        return { ...(await this.#asked(route, {}, '')), headers, body: BOMB };
      },
    };
  }

  async #asked(route: Route, given: Readonly<Record<string, string>>, query: string): Promise<Asked> {
    const id = /\{/.test(route.path) ? await this.#state.idFor(route.path, route.method !== 'GET') : '';
    const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(given[name] ?? id));
    return { method: route.method, path: query === '' ? path : `${path}?${query}`, headers: {} };
  }

  headers(route: Route): Record<string, string> {
    if (route.collects) return authorization(takesBatch(route) ? this.#state.bulk : this.#state.source);
    return {
      authorization: `Bearer ${ADMIN_TOKEN}`,
      ...(route.body === null ? {} : { 'content-type': 'application/json' }),
    };
  }

  async #limit(route: Route): Promise<number> {
    const asked = await this.#asked(route, {}, '');
    const fits = async (size: number): Promise<boolean> => {
      const body = `{"":"${'x'.repeat(size - 7)}"}`;
      const { status } = await this.#meter.send({ ...asked, headers: this.headers(route), body });
      return status !== 413 && status !== 0;
    };
    // It is mostly that of the route before.
    const size = (): number => SIZES[this.#size] ?? 0;
    while (this.#size > 0 && (await fits(SIZES[this.#size - 1] ?? 0))) this.#size -= 1;
    while (size() > 0 && !(await fits(size()))) this.#size += 1;
    if (size() === 0) throw new Error(`${route.name} calls every body too large`);
    return size();
  }
}

function takesBatch({ body }: Route): boolean {
  return /batch/.test(JSON.stringify(body));
}

export function authorization({ writeKey }: Source): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${writeKey}:`).toString('base64')}` };
}

/** More than any limit, once it is unpacked. */
const BOMB = gzipSync(' '.repeat(50_000_000));
