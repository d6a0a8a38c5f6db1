import { shardOfSource } from './position.ts';

const TOKEN = /^[A-Za-z0-9_-]+$/;

/**
 * The names in NATS. All begin with the same prefix, so that several services can share the servers:
 *
 *     millrace-events-<shard>                 stream
 *     millrace.events.<shard>.<source>        batches of a source's events
 *     millrace.duplicates.<shard>.<source>    batches that say only how many duplicates were left out: no lane reads them
 *     lane-<id>                               durable consumer of a lane
 */
export class Names {
  readonly prefix: string;
  readonly shards: number;

  constructor(prefix: string, shards: number) {
    if (!TOKEN.test(prefix)) {
      throw new Error(`The prefix of the streams is "${prefix}"; it must be letters, digits, hyphens and underscores.`);
    }
    this.prefix = prefix;
    this.shards = shards;
  }

  shardOf(sourceId: string): number {
    return shardOfSource(sourceId, this.shards);
  }

  stream(shard: number): string {
    return `${this.prefix}-events-${shard}`;
  }

  /** All subjects of a shard's stream. */
  subjects(shard: number): string[] {
    return [`${this.prefix}.events.${shard}.*`, `${this.prefix}.duplicates.${shard}.*`];
  }

  events(sourceId: string): string {
    return `${this.prefix}.events.${this.shardOf(sourceId)}.${tokenOf(sourceId)}`;
  }

  /** The subject of batches that only fill a place. */
  filler(shard: number): string {
    return `${this.prefix}.duplicates.${shard}.-`;
  }

  duplicates(sourceId: string): string {
    return `${this.prefix}.duplicates.${this.shardOf(sourceId)}.${tokenOf(sourceId)}`;
  }
}

const LANE = /^lane-(\d+)$/;

export function consumerOf(laneId: number): string {
  return `lane-${laneId}`;
}

/** The lane of a consumer; undefined if the consumer belongs to no lane. */
export function laneOf(consumer: string): number | undefined {
  const digits = LANE.exec(consumer)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** A source's id as one token of a subject. */
function tokenOf(sourceId: string): string {
  return TOKEN.test(sourceId) ? sourceId : `=${Buffer.from(sourceId).toString('base64url')}`;
}
