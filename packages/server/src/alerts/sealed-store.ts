import { revisionOf } from '../core/revision.ts';
import { isSealedBy, seal, unseal } from '../settings/sealing.ts';
import type { Address, AlertSettings, AlertStore, StoredAlertSettings } from './contract.ts';

const PLACE = 'alerts';

/**
 * An alert store whose addresses are encrypted where they are kept: who knows the URL of a Slack channel may write there. The first of
 * `keys` encrypts, the others only decrypt; what is kept otherwise is written anew before this resolves. Without a key they are kept as
 * they are.
 *
 * @throws Error when they were encrypted with a key that is not among `keys`, or were changed since.
 */
export async function sealedAlerts(store: AlertStore, keys: readonly Buffer[]): Promise<AlertStore> {
  const [own] = keys;
  const settings = async (): Promise<AlertSettings | null> => unsealed(await store.settings(), keys);
  const saveSettings = (one: AlertSettings): Promise<boolean> =>
    store.saveSettings(own === undefined || one.addresses.length === 0 ? one : sealed(one, own));
  const kept = await store.settings();
  const now = unsealed(kept, keys);
  // Where another process has written them since, it did so with the same keys.
  if (own !== undefined && now !== null && now.addresses.length > 0 && !isSealedBy(own, kept?.sealed)) {
    await saveSettings({ ...now, revision: revisionOf(now) + 1 });
  }
  return { ...store, settings, saveSettings };
}

function sealed(settings: AlertSettings, key: Buffer): StoredAlertSettings {
  return { ...settings, addresses: [], sealed: seal(JSON.stringify(settings.addresses), PLACE, key) };
}

function unsealed(kept: StoredAlertSettings | null, keys: readonly Buffer[]): AlertSettings | null {
  if (kept?.sealed === undefined) return kept;
  const { sealed: text, ...settings } = kept;
  return { ...settings, addresses: JSON.parse(unseal(text, PLACE, keys, 'the addresses of alerts')) as Address[] };
}
