import type { Destination, NewDestination, Source } from '../admin/contract.ts';
import { type Client, Refused } from './client.ts';
import { oneSource } from './connection.ts';
import { CommandFailure } from './io.ts';

export interface AttachOptions {
  /** The URL to send to. */
  readonly url: string;
  readonly secret: string;
  /** If a destination has this name, it is reused. */
  readonly destinationName: string;
  /** Name of the source that is created if there is none. */
  readonly newSource: string;
  /** Name or id of an existing source; needed if there are several. */
  readonly source: string | undefined;
}

export interface Attached {
  readonly source: Source;
  readonly destination: Destination;
  /** Whether the source and the destination were created now. */
  readonly made: { readonly source: boolean; readonly destination: boolean };
}

/** Creates a destination that sends to a URL, and a source if there is none. Reuses those of an earlier run. */
export async function attach(client: Client, options: AttachOptions): Promise<Attached> {
  const sources = await client.sources();
  const before = await earlier(client, options);
  const feeding = sources.filter(({ id }) => before?.sourceIds.includes(id));
  const isNew = sources.length === 0 && options.source === undefined;
  const there = isNew ? undefined : chosen(sources, feeding, options.source);
  const destination = await putDestination(client, options, before, there);
  if (there) return { source: there, destination, made: { source: false, destination: !before } };
  // Created last: if the address is refused, no source is left behind.
  const source = await client.call('POST /api/sources', { name: options.newSource, type: 'web' });
  const fed = await client.call('PATCH /api/destinations/:id', destination.id, {
    sourceIds: [...destination.sourceIds, source.id],
  });
  return { source, destination: fed, made: { source: true, destination: !before } };
}

/** Sets this run's secret at the destination of an earlier run. Nothing else is changed, so the address is not checked again. */
export async function signWith(client: Client, options: AttachOptions): Promise<void> {
  const before = await earlier(client, options);
  if (before) await client.call('PATCH /api/destinations/:id', before.id, { settings: signing(options.secret) });
}

async function earlier(client: Client, { destinationName }: AttachOptions): Promise<Destination | undefined> {
  return (await client.destinations()).find(({ name }) => name === destinationName);
}

/** The source that is named; else one that already feeds the destination; else the only source. */
function chosen(sources: readonly Source[], feeding: readonly Source[], named: string | undefined): Source {
  const [first] = feeding;
  return named === undefined && first ? first : oneSource(sources, named);
}

async function putDestination(
  client: Client,
  { url, secret, destinationName }: AttachOptions,
  before: Destination | undefined,
  source: Source | undefined,
): Promise<Destination> {
  const settings = { webhooks: [{ url }], ...signing(secret) };
  const sourceIds = [...new Set([...(before?.sourceIds ?? []), ...(source ? [source.id] : [])])];
  try {
    return before
      ? await client.call('PATCH /api/destinations/:id', before.id, { sourceIds, enabled: true, settings })
      : await client.call('POST /api/destinations', { name: destinationName, type: 'Webhooks', sourceIds, settings });
  } catch (error) {
    if (error instanceof Refused && error.code === 'address_not_allowed') throw addressRefused(url, error);
    throw error;
  }
}

function signing(secret: string): Omit<NewDestination['settings'], 'webhooks'> {
  return secret.startsWith('whsec_')
    ? { signatures: ['standard'], standardSecret: secret }
    : { signatures: ['segment'], sharedSecret: secret };
}

function addressRefused(url: string, cause: unknown): CommandFailure {
  return new CommandFailure(
    `the service does not send to ${url}: an address like this is not on the public internet.
For a trial, start it once more with MILLRACE_ALLOW_PRIVATE_URLS=true; or give an address on the internet that leads here with
--public-url.`,
    { cause },
  );
}
