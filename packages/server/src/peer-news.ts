import type { News } from './deliver/peers.ts';
import type { Refusal } from './observe/rejections.ts';
import type { Peers } from './stores/postgres/peers.ts';

/** What is done with what other nodes tell. */
export interface NewsListeners {
  told(destinationId: string, news: News): void;
  /** Null: everybody. */
  forget(users: ReadonlySet<string> | null): void;
  /** How many events a second a node accepts. */
  rate(node: number, perSecond: number): void;
  refused(refusal: Refusal): void;
}

/** One of these. */
interface Message {
  readonly of?: { readonly destinationId: string; readonly news: News };
  /** Null: the person has an id that no message has room for. */
  readonly forgotten?: readonly string[] | null;
  /** Events accepted a second. */
  readonly rate?: number;
  readonly refused?: Refusal;
}

type Told = Pick<Peers, 'count' | 'tell' | 'hear'>;

/** Characters of a message's list, as JSON; each may take three bytes of the 8,000. */
const MOST = 2_400;
/** Of a refused call, as JSON. */
const MOST_BYTES = 7_500;

/** What the nodes of a cluster tell each other beside what they keep: it is worth something at once, or nothing. */
export class PeerNews {
  readonly #peers: Told;

  constructor(peers: Told) {
    this.#peers = peers;
  }

  /** How many nodes live, this one among them. */
  count(): number {
    return this.#peers.count();
  }

  tellOf(destinationId: string, news: News): void {
    this.#tell({ of: { destinationId, news } });
  }

  forget(users: ReadonlySet<string>): void {
    const fits = [...users].every((user) => sizeOf(user) <= MOST);
    for (const forgotten of fits ? pieces([...users]) : [null]) this.#tell({ forgotten });
  }

  tellRate(perSecond: number): void {
    this.#tell({ rate: perSecond });
  }

  /** Without its part where no message has room for it. */
  tellRefusal(refusal: Refusal): void {
    const isSmall = Buffer.byteLength(JSON.stringify(refusal)) <= MOST_BYTES;
    this.#tell({ refused: isSmall ? refusal : { ...refusal, part: '' } });
  }

  hear(listeners: NewsListeners): void {
    this.#peers.hear((message, node) => {
      const { of, forgotten, rate, refused } = message as Message;
      if (of) listeners.told(of.destinationId, of.news);
      if (forgotten !== undefined) listeners.forget(forgotten && new Set(forgotten));
      if (rate !== undefined) listeners.rate(node, rate);
      if (refused) listeners.refused(refused);
    });
  }

  #tell(message: Message): void {
    this.#peers.tell(message);
  }
}

/** In lists that a message has room for. */
function pieces<T>(items: readonly T[]): T[][] {
  const lists: T[][] = [];
  let room = 0;
  for (const item of items) {
    const size = sizeOf(item);
    if (size > room) {
      lists.push([]);
      room = MOST;
    }
    lists.at(-1)?.push(item);
    room -= size;
  }
  return lists;
}

function sizeOf(item: unknown): number {
  return JSON.stringify(item).length + 1;
}
