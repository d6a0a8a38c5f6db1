import type { AccountStore } from '../../accounts/contract.ts';
import type { AlertStore } from '../../alerts/contract.ts';
import type { RejectionStore, StatsStore } from '../../record/contract.ts';
import type { RegulationStore } from '../../regulations/contract.ts';
import type { SettingsStore } from '../../settings/contract.ts';
import { accountStore } from './account-store.ts';
import { alertStore } from './alert-store.ts';
import { Dictionary } from './dictionary.ts';
import { expireReplays } from './documents.ts';
import { regulationStore } from './regulation-store.ts';
import { expireRejections, rejectionStore } from './rejection-store.ts';
import { settingsStore } from './settings-store.ts';
import type { Sql } from './sql.ts';
import { expireStats, statsStore } from './stats-store.ts';

/** The stores that both databases implement with the same statements. */
export interface RelationalStores {
  readonly accounts: AccountStore;
  readonly alerts: AlertStore;
  readonly regulations: RegulationStore;
  readonly rejections: RejectionStore;
  readonly settings: SettingsStore;
  readonly stats: StatsStore;
}

/** Deletes statistics, refused calls and replays that are older than the retention. Answers the ids of these replays, whose counts may go. */
export async function expire(sql: Sql, before: number): Promise<readonly string[]> {
  await expireStats(sql, before);
  await expireRejections(sql, before);
  return expireReplays(sql, before);
}

export function relationalStores(sql: Sql, dictionary: Dictionary = new Dictionary(sql)): RelationalStores {
  return {
    accounts: accountStore(sql),
    alerts: alertStore(sql),
    regulations: regulationStore(sql),
    rejections: rejectionStore(sql),
    settings: settingsStore(sql),
    stats: statsStore(sql, dictionary),
  };
}
