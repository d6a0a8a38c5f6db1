import type { Config } from './config.ts';
import type { Parts } from './core/parts.ts';
import { SteadyClock } from './core/steady-clock.ts';
import { Trouble } from './core/trouble.ts';
import type { Loss } from './log/contract.ts';
import { Health } from './observe/health.ts';
import type { Logger } from './observe/logger.ts';
import { Metrics } from './observe/metrics.ts';
import { Rejections } from './observe/rejections.ts';
import type { LostMessages } from './record/contract.ts';
import { Suppressions } from './regulations/suppressions.ts';
import { Settings } from './settings/settings.ts';
import { openStores, type Stores } from './stores.ts';

/** What every stage uses. */
export interface Ground extends GroundOptions {
  readonly store: Stores;
  readonly clock: Stores['clock'];
  readonly settings: Settings;
  readonly suppressions: Suppressions;
  readonly metrics: Metrics;
  readonly health: Health;
  /** Makes a reporter for work that is retried: its failures are logged, and shown as a health check under this name. */
  readonly trouble: (name: string, what: string) => Trouble;
  /** Refused calls. */
  readonly rejections: Rejections;
}

export interface GroundOptions {
  readonly config: Config;
  readonly logger: Logger;
  /** The list of opened parts, which are closed at the stop. */
  readonly parts: Parts;
  readonly acceptLoss: boolean;
  /** Called with messages that failed because the log dropped them before their turn came. */
  readonly lost: (messages: LostMessages) => void;
}

/** Opens the stores and loads the settings. */
export async function openGround(options: GroundOptions): Promise<Ground> {
  const { config, logger, parts, acceptLoss, lost } = options;
  const metrics = new Metrics();
  let clockIsAhead = 0;
  const own = new SteadyClock({
    // The nodes of a cluster use the database's time.
    follows: config.databaseUrl === null,
    told(ms) {
      clockIsAhead = Math.max(0, -ms);
      logger.warn({ ms }, clockWords(ms));
    },
  });
  const store = await openStores({
    config,
    clock: own,
    logger,
    acceptLoss,
    onCommit: (ms, rows) => metrics.committed(ms, rows),
    onLost: lost,
  });
  parts.opened('the stores', () => store.close());
  for (const loss of await store.losses.list()) {
    if (loss.notedAt === null) logger.error(loss, 'events that were confirmed are gone');
  }
  const settings = new Settings(store.settings, store.log, store.clock);
  await settings.load();
  const suppressions = new Suppressions(store.regulations);
  await suppressions.load();
  const health = new Health(own);
  health.add('notice', 'clock', () => (clockIsAhead === 0 ? null : clockWords(-clockIsAhead)));
  watchStores(store, metrics, health);
  return {
    ...options,
    ...{
      store,
      clock: store.clock,
      settings,
      suppressions,
      metrics,
      health,
      rejections: new Rejections(() => store.peers.hears()),
    },
    trouble(name, what) {
      const trouble = new Trouble(what, (error, words, about) => logger.error({ err: error, ...about }, words));
      health.add('notice', name, () => trouble.words());
      return trouble;
    },
  };
}

function watchStores(store: Stores, metrics: Metrics, health: Health): void {
  metrics.watchLosses(async () =>
    (await store.losses.list()).map(({ events, notedAt }) => ({ events, noted: notedAt !== null })),
  );
  const { backups } = store;
  if (backups.directory !== null) {
    metrics.watchBackups(() => backups.list());
    health.add('notice', 'backup', () => backups.failure);
  }
  metrics.watchStores(() => store.parts().map(({ name, trouble }) => ({ name, isUp: trouble === null })));
  health.add('live', 'storage threads', () => store.broken());
  health.add('ready', 'storage', () => store.parts().find(({ trouble }) => trouble !== null)?.trouble ?? null);
  if (store.lookEvery !== null) health.add('notice', 'notifications', () => store.peers.trouble());
  health.add('notice', 'losses', async () => lossWords(await store.losses.list()));
}

/** The meaning of a jump of the machine's clock, in words; 0: the clock is right again. */
function clockWords(ms: number): string {
  if (ms === 0) return "this machine's clock is right again";
  if (ms > 0)
    return "this machine's clock was set forward, or the machine slept: retry windows stay as long as they were";
  return "this machine's clock was set back: the service keeps its own time until it is restarted";
}

/** The losses that no admin has acknowledged, in words; null if there are none. */
function lossWords(losses: readonly Loss[]): string | null {
  const open = losses.filter(({ notedAt }) => notedAt === null);
  if (open.length === 0) return null;
  const events = open.reduce((sum, loss) => sum + loss.events, 0);
  const what = open.map((loss) => loss.what).join('; ');
  return `at least ${events} events that were confirmed are gone: ${what}. Restore a backup, or take note of it on the overview`;
}
