import type { AccountStore } from '../../accounts/contract.ts';
import type { AlertStore } from '../../alerts/contract.ts';
import type { RejectionStore, StatsStore } from '../../record/contract.ts';
import type { RegulationStore } from '../../regulations/contract.ts';
import type { SettingsStore } from '../../settings/contract.ts';
import { RelationalAccountStore } from './account-store.ts';
import { RelationalAlertStore } from './alert-store.ts';
import { expireReplays } from './documents.ts';
import { Names } from './names.ts';
import { RelationalRegulationStore } from './regulation-store.ts';
import { RelationalRejectionStore } from './rejection-store.ts';
import { RelationalSettingsStore } from './settings-store.ts';
import type { Sql } from './sql.ts';
import { expireStats, RelationalStatsStore } from './stats-store.ts';

/** What both databases keep by the same statements. */
export interface RelationalStores {
  readonly accounts: AccountStore;
  readonly alerts: AlertStore;
  readonly regulations: RegulationStore;
  readonly rejections: RejectionStore;
  readonly settings: SettingsStore;
  readonly stats: StatsStore;
}

/** Lets go of what is older than events are kept. */
export async function expire(sql: Sql, before: number): Promise<void> {
  await expireStats(sql, before);
  await expireReplays(sql, before);
}

export function relationalStores(sql: Sql, names: Names = new Names(sql)): RelationalStores {
  return {
    accounts: new RelationalAccountStore(sql),
    alerts: new RelationalAlertStore(sql),
    regulations: new RelationalRegulationStore(sql),
    rejections: new RelationalRejectionStore(sql),
    settings: new RelationalSettingsStore(sql),
    stats: new RelationalStatsStore(sql, names),
  };
}
