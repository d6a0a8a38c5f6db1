import { revisionOf } from '../core/revision.ts';
import { isSealedBy, seal, unseal } from '../settings/sealing.ts';
import type { Address, AlertSettings, AlertStore, StoredAlertSettings } from './contract.ts';

const PLACE = 'alerts';

/**
 * An alert store that keeps addresses encrypted: the URL of a Slack channel allows anyone to write there. The first of `keys`
 * encrypts; the others only decrypt. Addresses that are stored in plain text or under another key are written again before this
 * resolves, and `rewritten` is called. Without a key they are stored as they are.
 *
 * @throws Error if they were encrypted with a key that is not among `keys`, or were changed since.
 */
export async function sealedAlerts(
  store: AlertStore,
  keys: readonly Buffer[],
  rewritten: () => void = () => undefined,
): Promise<AlertStore> {
  const [own] = keys;
  const settings = async (): Promise<AlertSettings | null> => unsealed(await store.settings(), keys);
  const saveSettings = (one: AlertSettings): Promise<boolean> =>
    store.saveSettings(own === undefined || one.addresses.length === 0 ? one : sealed(one, own));
  const kept = await store.settings();
  const now = unsealed(kept, keys);
  // A false answer needs no repeat: another process wrote the addresses meanwhile, with the same keys.
  if (own !== undefined && now !== null && now.addresses.length > 0 && !isSealedBy(own, kept?.sealed)) {
    if (await saveSettings({ ...now, revision: revisionOf(now) + 1 })) rewritten();
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
