import { randomUUID } from 'node:crypto';
import { CURRENT_MS } from './core/current.ts';
import { within } from './core/pause.ts';
import type { News } from './deliver/peers.ts';
import type { Refusal } from './observe/rejections.ts';
import type { Peers } from './stores/postgres/peers.ts';

/** Handles the messages of other nodes. */
export interface NewsListeners {
  told(destinationId: string, news: News): void;
  /** Forgets these users; null for all users. */
  forget(users: ReadonlySet<string> | null): void;
  /** Events per second that a node accepts. */
  rate(node: number, perSecond: number): void;
  refused(refusal: Refusal): void;
  /** Messages of other nodes may have been lost. */
  missed(): void;
}

/** A message of one node to the others. It has one of these fields. */
interface Message {
  readonly of?: { readonly destinationId: string; readonly news: News };
  /** Ids of a forgotten user. Null if an id is too long for a message: then forget all users. */
  readonly forgotten?: readonly string[] | null;
  /** Events accepted per second. */
  readonly rate?: number;
  readonly refused?: Refusal;
  /** Asks each node to answer when it has handled what it was told before, and the changes of before. */
  readonly asks?: string;
  readonly answers?: string;
}

type Told = Pick<Peers, 'count' | 'living' | 'tell' | 'hear' | 'caughtUp'>;

/** The most characters of a list in a message, as JSON. A character may take three bytes, and a message has room for 8,000 bytes. */
const MOST = 2_400;
/** The most bytes of a refused call in a message, as JSON. */
const MOST_BYTES = 7_500;

/** Short-lived messages between the nodes of a cluster. They are not stored: a node that may have lost some hears `missed`. */
export class PeerNews {
  readonly #peers: Told;
  /** What is called with the node of each answer, by the id of the question. */
  readonly #answered = new Map<string, (node: number) => void>();

  constructor(peers: Told) {
    this.#peers = peers;
  }

  /** Number of live nodes, this one included. */
  count(): number {
    return this.#peers.count();
  }

  tellOf(destinationId: string, news: News): void {
    this.#tell({ of: { destinationId, news } });
  }

  /**
   * Tells each other node to forget these users, and resolves when it has; see `spread`.
   *
   * @throws What sending throws. Then call it again.
   */
  async forget(users: ReadonlySet<string>): Promise<void> {
    const fits = [...users].every((user) => sizeOf(user) <= MOST);
    const lists = fits ? pieces([...users]) : [null];
    // Messages may overtake each other until they are sent.
    await Promise.all(lists.map((forgotten) => this.#peers.tell({ forgotten })));
    await this.spread();
  }

  tellRate(perSecond: number): void {
    this.#tell({ rate: perSecond });
  }

  /** Sends a refused call, without its `part` if that is too long for a message. */
  tellRefusal(refusal: Refusal): void {
    const isSmall = Buffer.byteLength(JSON.stringify(refusal)) <= MOST_BYTES;
    this.#tell({ refused: isSmall ? refusal : { ...refusal, part: '' } });
  }

  /**
   * Resolves when each other node has heard what was sent and changed before this call; after `CURRENT_MS` at most. A node that has
   * not received it by then is not current, nor does it hear (`Peers`), until it has.
   */
  async spread(): Promise<void> {
    // A database that does not answer does not say that there are none.
    const others = (await this.#peers.living().catch(() => Number.POSITIVE_INFINITY)) - 1;
    if (others <= 0) return;
    const id = randomUUID();
    const { promise, resolve } = Promise.withResolvers<void>();
    const nodes = new Set<number>();
    this.#answered.set(id, (node) => nodes.add(node).size >= others && resolve());
    this.#tell({ asks: id });
    await within(CURRENT_MS, promise, () => undefined);
    this.#answered.delete(id);
  }

  hear(listeners: NewsListeners): void {
    const hear = (message: unknown, node: number): void => {
      const { of, forgotten, rate, refused, asks, answers } = message as Message;
      if (of) listeners.told(of.destinationId, of.news);
      if (forgotten !== undefined) listeners.forget(forgotten && new Set(forgotten));
      if (rate !== undefined) listeners.rate(node, rate);
      if (refused) listeners.refused(refused);
      if (asks !== undefined) void this.#peers.caughtUp().then((has) => has && this.#tell({ answers: asks }));
      if (answers !== undefined) this.#answered.get(answers)?.(node);
    };
    this.#peers.hear(hear, () => listeners.missed());
  }

  /** Where sending fails, the message is lost: `Peers` reports that. */
  #tell(message: Message): void {
    this.#peers.tell(message).catch(() => undefined);
  }
}

/** Splits items into lists that fit into a message. */
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
