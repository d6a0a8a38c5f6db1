import { gzipSync } from 'node:zlib';
import type { Source } from '../../../packages/server/src/admin/contract.ts';
import { ADMIN_TOKEN } from '../kit/service.ts';
import { worstBodies } from './bodies.ts';
import type { Asked, Meter } from './meter.ts';
import { type WorstHead, worstHeads } from './parameters.ts';
import type { Document, Route } from './routes.ts';
import type { Worst } from './shapes.ts';
import type { State } from './state.ts';

/** A request that is to be measured. */
export interface Case {
  readonly name: string;
  readonly make: () => Promise<Asked>;
}

/** Largest first: what a route's body may have is the first that it does not call too large. */
const SIZES = [32, 16, 8, 4, 2, 1, 0.5].map((megabytes) => megabytes * 1_048_576).concat(512_000, 65_536, 32_768);

export class Requests {
  readonly #document: Document;
  readonly #state: State;
  readonly #meter: Meter;
  /** Bodies that were described before: routes that take the same share what it is tried with. */
  readonly #seen = new Map<string, number>();

  constructor(document: Document, state: State, meter: Meter) {
    this.#document = document;
    this.#state = state;
    this.#meter = meter;
  }

  /** Everything that a route is tried with. */
  async of(route: Route): Promise<Case[]> {
    const heads = worstHeads(route, this.#state.known).map((head) => this.#headCase(route, head));
    if (route.body === null) return heads;
    const bytes = await this.#limit(route);
    const all = worstBodies(route, this.#document, this.#state.known);
    const key = JSON.stringify(route.body);
    const share = this.#seen.get(key) ?? 0;
    this.#seen.set(key, share + 1);
    const own = share === 0 ? all : all.filter((_, n) => n % 8 === share % 8);
    const zipped = route.collects ? own.filter((_, n) => n % 4 === 0) : [];
    return [
      ...own.map((worst) => this.#bodyCase(route, worst, bytes)),
      ...zipped.map((worst) => this.#bodyCase(route, worst, bytes, true)),
      ...(route.collects ? [this.#bodyCase(route, BOMB, bytes, true)] : []),
      ...heads,
    ];
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

  async #asked(route: Route, given: Readonly<Record<string, string>>, query: string): Promise<Asked> {
    const id = /\{/.test(route.path) ? await this.#state.idFor(route.path, route.method !== 'GET') : '';
    const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(given[name] ?? id));
    return { method: route.method, path: query === '' ? path : `${path}?${query}`, headers: {} };
  }

  headers(route: Route): Record<string, string> {
    if (route.collects)
      return authorization(/batch/.test(JSON.stringify(route.body)) ? this.#state.bulk : this.#state.source);
    return {
      authorization: `Bearer ${ADMIN_TOKEN}`,
      ...(route.body === null ? {} : { 'content-type': 'application/json' }),
    };
  }

  async #limit(route: Route): Promise<number> {
    const asked = await this.#asked(route, {}, '');
    for (const size of SIZES) {
      const body = `{"":"${'x'.repeat(size - 7)}"}`;
      const { status } = await this.#meter.send({ ...asked, headers: this.headers(route), body });
      if (status !== 413 && status !== 0) return size;
    }
    throw new Error(`${route.name} calls every body too large`);
  }
}

export function authorization({ writeKey }: Source): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${writeKey}:`).toString('base64')}` };
}

/** More than any limit, once it is unpacked. */
const BOMB: Worst = { name: 'a bomb', make: () => ' '.repeat(50_000_000) };
