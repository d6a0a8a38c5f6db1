import { DiscardPolicy, RetentionPolicy, StorageType, type StreamConfig, type StreamInfo } from '@nats-io/jetstream';
import { errors, nanos, type ServerInfo } from '@nats-io/transport-node';
import { pause } from '../../core/pause.ts';
import type { StreamOwner } from '../../log/stream-index.ts';
import { apiCode, chainOf, isFull, isPassing, isUnheard, nullOn, STREAM_NOT_FOUND } from './failure.ts';
import type { Link } from './link.ts';
import type { Names } from './names.ts';

export interface StreamOptions {
  /** Copies of every event, on as many servers; null: 3 in a cluster, 1 on a single server. */
  readonly replicas: number | null;
  /** How long events are kept, milliseconds. */
  readonly retention: number;
  /** Most bytes of one stream; null: as many as the servers have. */
  readonly maxBytes: number | null;
  /** How long NATS recognises a batch that is sent again, milliseconds. */
  readonly duplicateWindow: number;
}

/** The oldest server whose answers this code understands: direct reads and consumers that are named when they are made. */
const OLDEST_SERVER = [2, 9, 3] as const;
/** Servers that have just been started have no leader for a while, and not all of their number. */
const GRACE_PERIOD_MS = 20_000;
const PAUSE_MS = 250;
/** By then servers that know the same stream say the same of it, and nodes that come back too. */
const AGREED_MS = 5_000;

/** Stands before the cluster's id, at the end of a stream's description. */
const OF_CLUSTER = ', of cluster ';
/** What to do where streams and database are of two clusters. */
const CHECK_URLS =
  'MILLRACE_NATS_URL and MILLRACE_DATABASE_URL must lead to the same servers and the same database on all nodes of a cluster, and to others in another cluster.';

/** JetStream's codes for what a set-up can get wrong. */
const NOT_ENABLED = 10076;
const NOT_ENABLED_FOR_ACCOUNT = 10039;
const NO_PEERS = 10005;
const REPLICAS_NOT_SUPPORTED = 10074;
const OVERLAP = 10065;
const WRONG_STREAM = 10060;

/**
 * Sees to it that every shard has its stream: makes those that are missing, and brings the others in line with the settings.
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
      `There are more than ${names.shards} streams (${names.stream(names.shards)}): the log was made with more shards. Sources would move between streams; set the number of shards back.`,
    );
  }
}

/** Sends what is refused, or not heard at all, so that a permission that is missing is said now and not when a call comes. */
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
    // The number of shards is kept where every node can see it, and so is whose they are.
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
 * A stream as the server knows it that leads all of them; null where there is none. What has part of a stream is not asked alone: a
 * server that kept its part, while more than half of them lost theirs, answers for a stream that is gone.
 *
 * @throws Error that says what to do, while there is such a server.
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
    // Another node may make it between the two questions, or the servers choose who leads it.
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
  checkStream(there.config, wanted);
  await checkOwner(there, owner);
  const replicas = Math.max(wanted.num_replicas, mayHaveMore ? there.config.num_replicas : 0);
  // Nodes of an earlier version take no other description than their own.
  const { description } = there.config;
  const config = { ...wanted, ...(description !== undefined && { description }), num_replicas: replicas };
  const same = (['num_replicas', 'max_age', 'max_bytes', 'duplicate_window'] as const).every(
    (name) => there.config[name] === config[name],
  );
  if (!same || !there.config.allow_direct) await streams.update(config.name, config);
}

/**
 * Whether another node reads a shard's stream, which is not whole here. A node that leads, and makes it whole, was back before this one;
 * one that has just lost NATS leads for a moment yet.
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
 * The stream that was made; or that of another node, which was first.
 *
 * @throws Error where another node reads this stream at this time: then it is on other servers than these.
 */
async function make(link: Link, names: Names, shard: number, wanted: Config, owner: StreamOwner): Promise<StreamInfo> {
  let made: StreamInfo | null = null;
  const isMade = async (): Promise<boolean> => {
    made = await streamInfo(link, names, shard);
    return made !== null;
  };
  if (await isReadElsewhere(owner, shard, isMade)) {
    throw new Error(
      `NATS at ${link.nc.getServer()} has no stream ${wanted.name}, and another node of the same database reads that stream: on other NATS servers. ${CHECK_URLS}`,
    );
  }
  if (made) return made;
  try {
    return await link.jsm.streams.add(wanted);
  } catch (error) {
    if (apiCode(error) !== OVERLAP) throw error;
    // The subjects are taken a moment before the stream that takes them is known.
    await pause(PAUSE_MS);
    const first = await streamInfo(link, names, shard);
    if (!first) throw error;
    return first;
  }
}

/** What can't be changed under a stream that exists. */
function checkStream(there: StreamConfig, wanted: StreamConfig): void {
  const [is, must] = [there.description, wanted.description].map((each) => each?.split(OF_CLUSTER)[0]);
  if (is !== undefined && is !== must) {
    throw new Error(
      `The stream ${there.name} is described as "${is}" and must be "${must}": sources would move between streams. Set the number of shards back.`,
    );
  }
  for (const name of ['storage', 'retention', 'discard', 'subjects'] as const) {
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

/** One copy where there are several servers would lose events with the one that has them. */
function replicasOf({ cluster, connect_urls }: ServerInfo, asked: number | null): number {
  const servers = connect_urls?.length ?? 1;
  if (asked === 1 && servers > 1) {
    throw new Error(
      `NATS has ${servers} servers, and events would be kept on one of them only: a server that dies takes its events with it. Set the number of replicas to 3, or leave it out.`,
    );
  }
  return asked ?? (cluster === undefined ? 1 : 3);
}

/**
 * Tries again what fails because the servers have just begun, or because another node makes a stream at this moment.
 *
 * @param mayForm whether what is not heard may be heard later: at first, one server alone that has no JetStream means it.
 */
async function withGrace<T>(link: Link, run: () => Promise<T>, mayForm = true): Promise<T> {
  const until = Date.now() + GRACE_PERIOD_MS;
  for (;;) {
    try {
      return await run();
    } catch (error) {
      // What the servers of a cluster say until all have found each other, and a stream until it listens.
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

/** The error as people are told of it; as it is where there are no better words. */
function inWords(error: unknown, words: string | null): unknown {
  return words === null ? error : new Error(words, { cause: error });
}

/** What the servers refuse, and the fix. */
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

/** What JetStream says about a stream, with the name of the setting. */
function ofStream(error: unknown, config: Config): string | null {
  const said = (error as Error).message;
  if (isFull(error)) {
    return `NATS has too little storage for the stream ${config.name} of ${config.max_bytes} bytes (${said}). Give JetStream more (max_file_store), or lower the streams' most bytes.`;
  }
  switch (apiCode(error)) {
    case REPLICAS_NOT_SUPPORTED:
      return `${config.num_replicas} replicas are asked for, and this NATS server is in no cluster. Set the number of replicas to 1, or connect it with others.`;
    case NO_PEERS:
      return `NATS finds no ${config.num_replicas} servers for the stream ${config.name} (${said}). Start more servers with JetStream and enough storage, or lower the number of replicas or the streams' most bytes.`;
    case OVERLAP:
      return `Another stream takes the subjects ${config.subjects.join(' and ')} already (${said}). Give Millrace another prefix, or remove that stream.`;
    default:
      return null;
  }
}
