/** A status; a whole answer; or no answer: `reset`, `hang`, or `head` and then nothing more. */
export type Reply =
  | number
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  | 'hang'
  | 'head'
  | 'reset';

/** A batch as it came in. */
export interface Seen {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/** A call as it lies in a batch. */
export type SentCall = Readonly<Record<string, unknown>> & { readonly messageId: string };

export interface SentBatch {
  readonly batch: readonly SentCall[];
  readonly context: object;
  readonly messageId: string;
  readonly sentAt: string;
}

/** A collection API of one test on the scripted server. */
export class Room {
  readonly endpoint: string;

  private constructor(endpoint: string) {
    this.endpoint = endpoint;
  }

  static async open(server: string, script: readonly Reply[] = []): Promise<Room> {
    const room = new Room(`${server}/${crypto.randomUUID()}`);
    await fetch(room.endpoint, { method: 'PUT', body: JSON.stringify(script) });
    return room;
  }

  async seen(): Promise<readonly Seen[]> {
    const response = await fetch(this.endpoint);
    return (await response.json()) as Seen[];
  }

  async batches(): Promise<readonly SentBatch[]> {
    return (await this.seen()).map(({ body }) => JSON.parse(body) as SentBatch);
  }

  /** The calls that came, in order, once for each time they came. */
  async calls(): Promise<readonly SentCall[]> {
    return (await this.batches()).flatMap(({ batch }) => batch);
  }
}
