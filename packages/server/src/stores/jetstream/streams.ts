import { DiscardPolicy, RetentionPolicy, StorageType, type StreamConfig, type StreamInfo } from '@nats-io/jetstream';
import { errors, nanos, type ServerInfo } from '@nats-io/transport-node';
import { pause } from '../../core/pause.ts';
import type { StreamOwner } from '../../log/stream-index.ts';
import { apiCode, chainOf, isFull, isPassing, isUnheard, nullOn, STREAM_NOT_FOUND } from './failure.ts';
import type { Link } from './link.ts';
import type { Names } from './names.ts';

export interface StreamOptions {
  /** Number of copies of every event, each on another server; null: 3 in a cluster, 1 on a single server. */
  readonly replicas: number | null;
  /** How long events are kept, milliseconds. */
  readonly retention: number;
  /** Most bytes of one stream; null for no limit except the servers' own. */
  readonly maxBytes: number | null;
  /** How long NATS recognises a batch that is sent again, milliseconds. */
  readonly duplicateWindow: number;
}

/** The oldest server version that this code works with: it needs direct reads and named consumers. */
const OLDEST_SERVER = [2, 9, 3] as const;
/** How long servers that have just started may lack a leader or some of their peers. */
const GRACE_PERIOD_MS = 20_000;
const PAUSE_MS = 250;
/** After this time, all servers that know a stream should agree about it, and nodes that come back have it whole. */
const AGREED_MS = 5_000;

/** The text before the cluster's id, at the end of a stream's description. */
const OF_CLUSTER = ', of cluster ';
/** What to do if streams and database belong to two clusters. */
const CHECK_URLS =
  'MILLRACE_NATS_URL and MILLRACE_DATABASE_URL must lead to the same servers and the same database on all nodes of a cluster, and to others in another cluster.';

/** What nobody but Millrace changes in its streams: it is set back. */
const SET_BACK = ['discard', 'subjects'] as const;

/** JetStream's error codes for wrong set-ups. */
const NOT_ENABLED = 10076;
const NOT_ENABLED_FOR_ACCOUNT = 10039;
const NO_PEERS = 10005;
const OVERLAP = 10065;
const NO_CLUSTER = 10074;
const WRONG_STREAM = 10060;

/**
 * Prepares the stream of every shard: makes missing ones, and adapts existing ones to the settings.
 *
 * @throws Error that says what is wrong with the servers or the settings, and the fix; also where a stream is not the owner's.
 */
export async function prepareStreams(
  link: Link,
  names: Names,
  options: StreamOptions,
  owner: StreamOwner,
): Promise<void> {
  const { info } = link.nc;
  if (!info) throw new Error('NATS has not introduced itself.');
  checkServer(info);
  const inCluster = info.cluster !== undefined;
  await withGrace(link, () => link.jsm.getAccountInfo(), inCluster);
  const replicas = replicasOf(info, options.replicas);
  const cluster = await owner.cluster();
  for (let shard = 0; shard < names.shards; shard++) {
    const config = streamConfig(names, shard, { ...options, replicas }, cluster);
    const mayHaveMore = options.replicas === null;
    await withGrace(link, () => prepare(link, names, shard, config, mayHaveMore, owner)).catch((error: unknown) => {
      throw inWords(error, ofStream(error, config));
    });
  }
  await checkPermissions(link, names);
  if (await link.jsm.streams.info(names.stream(names.shards)).catch(noStream)) {
    throw new Error(
      `There are more than ${names.shards} streams (${names.stream(names.shards)}): the log was made with more shards. Sources would move between streams; set MILLRACE_NATS_STREAMS back.`,
    );
  }
}

/** Sends two messages that are refused or have no listener, so that missing permissions are reported now and not at the first call. */
async function checkPermissions(link: Link, names: Names): Promise<void> {
  const subject = names.events('permissions');
  await withGrace(link, async () => {
    await link.js.publish(subject, '', { expect: { streamName: 'none' } }).catch((error: unknown) => {
      if (apiCode(error) !== WRONG_STREAM) throw error;
    });
    await link.nc.request(`$JS.ACK.${names.stream(0)}.permissions`).catch((error: unknown) => {
      if (!isUnheard(error)) throw error;
    });
  });
}

type Config = StreamConfig & { readonly name: string };

function streamConfig(
  names: Names,
  shard: number,
  options: StreamOptions & { readonly replicas: number },
  cluster: string,
): Config {
  return {
    name: names.stream(shard),
    // The description keeps the number of shards, and the cluster's id, where every node can see them.
    description: `Millrace events, of ${names.shards} ${names.shards === 1 ? 'shard' : 'shards'}${OF_CLUSTER}${cluster}`,
    subjects: names.subjects(shard),
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    discard: DiscardPolicy.New,
    num_replicas: options.replicas,
    max_age: nanos(options.retention),
    max_bytes: options.maxBytes ?? -1,
    duplicate_window: nanos(Math.min(options.duplicateWindow, options.retention)),
    allow_direct: true,
  } as Config;
}

/**
 * A stream according to the leader of the cluster; null if there is none. The stream's own servers are not enough: a server
 * that kept its copy while more than half of the others lost theirs answers for a stream that is gone.
 *
 * @throws Error that says what to do, if there is such a server.
 */
export async function streamInfo(link: Link, names: Names, shard: number): Promise<StreamInfo | null> {
  const name = names.stream(shard);
  const until = Date.now() + AGREED_MS;
  for (;;) {
    const answered = await link.jsm.streams.info(name).catch(noStream);
    const [subject] = answered?.config.subjects ?? names.subjects(shard);
    let listed: StreamInfo | null = null;
    for await (const each of link.jsm.streams.list(subject)) if (each.config.name === name) listed = each;
    if (answered?.created === listed?.created) return listed;
    // Another node may make the stream between the two requests, or the servers may be electing a leader.
    if (Date.now() > until) break;
    await pause(PAUSE_MS);
  }
  throw new Error(
    `A NATS server still has the stream ${name} of before, and the others have lost it. Restart that server: its copy is given up then. If it has what must be kept, save its storage folder first.`,
  );
}

async function prepare(
  link: Link,
  names: Names,
  shard: number,
  wanted: Config,
  mayHaveMore: boolean,
  owner: StreamOwner,
): Promise<void> {
  const { streams } = link.jsm;
  const there = (await streamInfo(link, names, shard)) ?? (await make(link, names, shard, wanted, owner));
  // First, because another cluster may have another number of streams.
  await checkOwner(there, owner);
  checkStream(there.config, wanted);
  const replicas = Math.max(wanted.num_replicas, mayHaveMore ? there.config.num_replicas : 0);
  // Nodes of an earlier version take no other description than their own.
  const { description } = there.config;
  const config = { ...wanted, ...(description !== undefined && { description }), num_replicas: replicas };
  const same = (['num_replicas', 'max_age', 'max_bytes', 'duplicate_window', ...SET_BACK] as const).every(
    (name) => String(there.config[name]) === String(config[name]),
  );
  if (!same || !there.config.allow_direct) await streams.update(config.name, config);
}

/**
 * Whether another node reads a shard's stream on other servers; here the stream is not whole. A leading node that was back before this
 * one makes the stream whole here. A node that has just lost NATS leads for another moment. So it asks again for `AGREED_MS`.
 */
export async function isReadElsewhere(
  owner: StreamOwner,
  shard: number,
  isWhole: () => Promise<boolean>,
): Promise<boolean> {
  const until = Date.now() + AGREED_MS;
  while (await owner.isFilledElsewhere(shard)) {
    if (await isWhole()) return false;
    if (Date.now() > until) return true;
    await pause(PAUSE_MS);
  }
  return false;
}

/**
 * Makes a stream. Answers the stream of another node if that node was faster.
 *
 * @throws Error if another node reads this stream now: then that stream is on other servers.
 */
async function make(link: Link, names: Names, shard: number, wanted: Config, owner: StreamOwner): Promise<StreamInfo> {
  let made: StreamInfo | null = null;
  const isMade = async (): Promise<boolean> => {
    made = await streamInfo(link, names, shard);
    return made !== null;
  };
  if (await isReadElsewhere(owner, shard, isMade)) {
    throw new Error(
      `NATS at ${link.nc.getServer()} has no stream ${wanted.name}, and another node of the same database reads that stream on other NATS servers, or that node has died within MILLRACE_NODE_TIMEOUT: then start again. ${CHECK_URLS}`,
    );
  }
  if (made) return made;
  try {
    return await link.jsm.streams.add(wanted);
  } catch (error) {
    if (apiCode(error) !== OVERLAP) throw error;
    // The subjects of a new stream are taken a moment before the stream is visible.
    await pause(PAUSE_MS);
    const first = await streamInfo(link, names, shard);
    if (!first) throw error;
    return first;
  }
}

/** Checks the properties that can't be changed in an existing stream, and of one that Millrace did not make all that matter. */
function checkStream(there: StreamConfig, wanted: StreamConfig): void {
  const [is, must] = [there.description, wanted.description].map((each) => each?.split(OF_CLUSTER)[0]);
  if (is !== undefined && is !== must) {
    throw new Error(
      `The stream ${there.name} is described as "${is}" and must be "${must}": sources would move between streams. Set MILLRACE_NATS_STREAMS back.`,
    );
  }
  const fixed = ['storage', 'retention'] as const;
  for (const name of is === undefined ? ([...fixed, ...SET_BACK] as const) : fixed) {
    const [is, must] = [String(there[name]), String(wanted[name])];
    if (is === must) continue;
    throw new Error(
      `The stream ${there.name} exists with ${name} ${is}; Millrace needs ${must}. Something else made it: give Millrace another prefix, or remove the stream (nats stream rm ${there.name}) if it is not needed.`,
    );
  }
}

/**
 * A stream that an earlier version made says not whose it is.
 *
 * @throws Error that names both sides where the stream is another cluster's.
 */
async function checkOwner({ config: { name, description }, state }: StreamInfo, owner: StreamOwner): Promise<void> {
  const [must, is] = [await owner.cluster(), description?.split(OF_CLUSTER)[1]];
  if (is === must) return;
  const anew = `If the stream is not needed any more, remove it (nats stream rm ${name}, and so on for each).`;
  const has = state.last_seq > 0 ? 'has events already' : 'is there already';
  if (is !== undefined) {
    throw new Error(
      `The stream ${name} ${has}: of the cluster ${is}, and the database is that of ${must}. ${CHECK_URLS} ${anew} If both are of one cluster, and the database is from before it had this name, give the stream that of the database: nats stream edit ${name} --description "${description?.replace(is, must)}".`,
    );
  }
  if (state.last_seq > 0 && (await owner.isNew())) {
    throw new Error(
      `The stream ${name} ${has}, and the database is new: they are of a cluster with another database. ${CHECK_URLS} ${anew}`,
    );
  }
}

const noStream = nullOn(STREAM_NOT_FOUND);

function checkServer({ version, headers }: ServerInfo): void {
  const parts = version.split('.').map((part) => Number.parseInt(part, 10));
  const old = OLDEST_SERVER.findIndex((least, i) => (parts[i] ?? 0) !== least);
  if ((old >= 0 && (parts[old] ?? 0) < (OLDEST_SERVER[old] ?? 0)) || !headers) {
    throw new Error(
      `nats-server is ${version}; Millrace needs ${OLDEST_SERVER.join('.')} or newer. Upgrade it (one server after the other in a cluster).`,
    );
  }
}

/** Rejects a single copy if there are several servers: the server with the copy could take all events with it. */
function replicasOf({ cluster, connect_urls }: ServerInfo, asked: number | null): number {
  const servers = connect_urls?.length ?? 1;
  if (asked === 1 && servers > 1) {
    throw new Error(
      `NATS has ${servers} servers, and events would be kept on one of them only: a server that dies takes its events with it. Set the number of replicas to 3, or leave it out.`,
    );
  }
  // A server refuses them for a new stream only. A stream that is changed to them is lost with the server's next start.
  if (asked !== null && asked > 1 && cluster === undefined) {
    throw new Error(
      `${asked} replicas are asked for, and this NATS server is in no cluster. Set the number of replicas to 1, or connect it with others.`,
    );
  }
  return asked ?? (cluster === undefined ? 1 : 3);
}

/**
 * Retries errors that occur because servers have just started, or because another node is making a stream.
 *
 * @param mayForm whether missing listeners may still appear. A single server without JetStream has none for good.
 */
async function withGrace<T>(link: Link, run: () => Promise<T>, mayForm = true): Promise<T> {
  const until = Date.now() + GRACE_PERIOD_MS;
  for (;;) {
    try {
      return await run();
    } catch (error) {
      // Errors of a cluster until all servers have found each other, and of a stream until it listens.
      const isForming = isNotEnabled(error) || apiCode(error) === NO_PEERS;
      const mayPass = !isDenied(error) && (isForming ? mayForm : isPassing(error));
      if (!mayPass || Date.now() > until || link.nc.isClosed()) throw inWords(error, ofServers(error));
      await pause(PAUSE_MS);
    }
  }
}

function isDenied(error: unknown): boolean {
  return chainOf(error).some((each) => each instanceof errors.PermissionViolationError);
}

function isNotEnabled(error: unknown): boolean {
  return isUnheard(error) || [NOT_ENABLED, NOT_ENABLED_FOR_ACCOUNT].includes(apiCode(error));
}

/** The error with an explanation; unchanged if there is none. */
function inWords(error: unknown, words: string | null): unknown {
  return words === null ? error : new Error(words, { cause: error });
}

/** Explains refusals of the servers, and how to fix them. */
function ofServers(error: unknown): string | null {
  const said = (error as Error).message;
  if (isDenied(error)) {
    return `NATS does not let this user do what Millrace needs (${said}). Permit publishing to "$JS.API.>", "$JS.ACK.>" and Millrace's subjects ("millrace.>"), and subscribing to "_INBOX.>".`;
  }
  if (isNotEnabled(error)) {
    return 'JetStream is off at this NATS server, or for this account. Start nats-server with "-js -sd <folder>", or put "jetstream {}" into its configuration and into that of the account.';
  }
  if (!isPassing(error)) return null;
  return `JetStream does not answer (${said}). In a cluster more than half of its servers must be up, with names of their own and the same cluster name; "nats server report jetstream" shows them.`;
}

/** Explains JetStream's errors about a stream, with the name of the setting. */
function ofStream(error: unknown, config: Config): string | null {
  const said = (error as Error).message;
  if (isFull(error)) {
    return `NATS has too little storage for the stream ${config.name} of ${config.max_bytes} bytes (${said}). Give JetStream more (max_file_store), or lower the streams' most bytes.`;
  }
  switch (apiCode(error)) {
    case NO_PEERS:
      return `NATS finds no ${config.num_replicas} servers for the stream ${config.name} (${said}). Start more servers with JetStream and enough storage, or lower the number of replicas or the streams' most bytes.`;
    case NO_CLUSTER:
      return `This NATS server keeps its streams alone (${said}), as a leaf node with a JetStream of its own does. Name the servers of a cluster in MILLRACE_NATS_URL, or set the number of replicas to 1.`;
    case OVERLAP:
      return `Another stream takes the subjects ${config.subjects.join(' and ')} already (${said}). Give Millrace another prefix, or remove that stream.`;
    default:
      return null;
  }
}
