import { Link } from '../../packages/server/src/stores/jetstream/link.ts';

/** A stream as `nats stream backup` keeps it: what it is, and its content in the server's own form. */
export interface StreamBackup {
  readonly config: { readonly name: string };
  readonly state: unknown;
  readonly chunks: readonly Uint8Array[];
}

/** What `nats stream backup --no-consumers <stream> <folder>` does. */
export function backUpStream(url: string, stream: string): Promise<StreamBackup> {
  return linked(url, async ({ nc }) => {
    const inbox = `backup.${stream}`;
    const arriving = nc.subscribe(inbox);
    const wish = { deliver_subject: inbox, no_consumers: true };
    const { config, state } = await ask<StreamBackup>(nc, `$JS.API.STREAM.SNAPSHOT.${stream}`, wish);
    const chunks: Uint8Array[] = [];
    for await (const message of arriving) {
      if (message.data.length === 0) break;
      chunks.push(message.data.slice());
      message.respond();
    }
    return { config, state, chunks };
  });
}

/** What `nats stream restore <folder>` does. */
export function restoreStream(url: string, { config, state, chunks }: StreamBackup): Promise<void> {
  return linked(url, async ({ nc }) => {
    const subject = `$JS.API.STREAM.RESTORE.${config.name}`;
    const { deliver_subject: inbox } = await ask<{ deliver_subject: string }>(nc, subject, { config, state });
    for (const chunk of chunks) await nc.request(inbox, chunk);
    await ask(nc, inbox);
  });
}

async function linked<T>(url: string, work: (link: Link) => Promise<T>): Promise<T> {
  const failures: unknown[] = [];
  const link = await Link.open({ url, name: 'backup', report: (error) => failures.push(error) });
  try {
    return await work(link);
  } catch (error) {
    throw failures.length === 0 ? error : new AggregateError([error, ...failures], 'NATS refused', { cause: error });
  } finally {
    await link.close();
  }
}

/** @throws Error with what JetStream says, when it refuses. */
async function ask<T>(nc: Link['nc'], subject: string, wish?: unknown): Promise<T> {
  const answer = (await nc.request(subject, wish === undefined ? '' : JSON.stringify(wish), { timeout: 10_000 })).json<
    T & { readonly error?: { readonly description: string } }
  >();
  if (answer.error) throw new Error(`${subject}: ${answer.error.description}`);
  return answer;
}
