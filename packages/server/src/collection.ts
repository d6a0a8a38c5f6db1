import { addressKey } from './accounts/attempts.ts';
import { Admission } from './collect/admission.ts';
import { type CallNeeds, type Collect, createCollector, createOwnCalls, type OwnCalls } from './collect/collector.ts';
import { type FindSource, findSourceIn } from './collect/write-key.ts';
import type { Recording } from './delivering.ts';
import type { Ground } from './ground.ts';
import { DiskRoom } from './observe/disk-room.ts';

/** The parts that accept calls. */
export interface Collection {
  readonly collect: Collect;
  readonly ownCalls: OwnCalls;
  readonly disk: DiskRoom;
  readonly findSource: FindSource;
}

const DISK_IS_SHORT = 'the disk has little room left: calls of web and mobile sources are refused. Make room';

export function openCollection(ground: Ground, { stats, days }: Recording): Collection {
  const { store, clock, settings, suppressions, rejections, metrics, health, config, logger } = ground;
  const disk = new DiskRoom({
    folder: config.dataDir,
    clock,
    changed: (isShort) => (isShort ? logger.error(DISK_IS_SHORT) : logger.info('the disk has room again')),
    failed: (error) => logger.error({ err: error }, 'the room of the disk could not be read; trying again'),
  });
  health.add('notice', 'disk', () => (disk.isShort ? DISK_IS_SHORT : null));
  const admission = new Admission({
    clock,
    nodes: () => store.peers.count(),
    today: (sourceId) => days.today(sourceId),
    addressKey,
    isDiskShort: () => disk.isShort,
  });
  settings.onChange(() => rejections.retain((id) => settings.source(id) !== undefined));
  const needs: CallNeeds = {
    append: (events) => store.log.append(events),
    suppressed: suppressions,
    clock,
    rejections,
    meter: {
      accepted(sourceId, events) {
        metrics.accepted(sourceId, events);
        stats.accepted(sourceId, events);
        days.accepted(sourceId, events);
      },
      duplicates: (sourceId, events) => metrics.duplicates(sourceId, events),
      rejected(sourceId, code) {
        metrics.rejected(sourceId, code);
        // Calls of a suppressed user are answered as a success and are not counted: nothing is wrong with the source.
        if (sourceId !== null && code !== 'user_suppressed') stats.rejected(sourceId);
      },
    },
  };
  const findSource = findSourceIn(settings, store.peers);
  return {
    collect: createCollector({ ...needs, admission, findSource }),
    ownCalls: createOwnCalls({ ...needs, source: (id) => settings.source(id) }),
    disk,
    findSource,
  };
}
