import { Outbox } from './alerts/notices.ts';
import { Observer } from './alerts/observing.ts';
import { createMail, createSendNotice, type SendNotice } from './alerts/sending.ts';
import { createWatcher } from './alerts/watcher.ts';
import type { Collection } from './collection.ts';
import { inTurn, type Service } from './core/service.ts';
import { type OpenSender, sendOnce } from './deliver/sender.ts';
import type { Delivery, Recording } from './delivering.ts';
import type { Ground } from './ground.ts';

/** Detects incidents and sends notices about them. */
export interface Alerting {
  /** The evaluation and the outbox. Runs in one process at a time. */
  readonly alerts: Service;
  readonly sendNotice: SendNotice;
  readonly canMail: boolean;
}

export function openAlerting(
  { store, clock, settings, config, logger, health, trouble }: Ground,
  { stats }: Recording,
  { deliverer, openSender }: Delivery,
  { disk }: Collection,
): Alerting {
  const { smtpUrl, smtpFrom } = config;
  const mail = smtpUrl === null || smtpFrom === null ? null : createMail(smtpUrl, smtpFrom);
  const send = createSendNotice({ post: poster(openSender), mail, timer: clock });
  const outbox = new Outbox({
    store: store.alerts,
    addresses: async () => (await store.alerts.settings())?.addresses ?? [],
    send,
    clock,
    random: Math.random,
    log: logger,
  });
  health.add('notice', 'notices', () => outbox.trouble());
  const observer = new Observer({
    destinations: () => settings.destinations(),
    sources: () => settings.sources(),
    stats: store.stats,
    deliveries: store.deliveries,
    certificates: (id) =>
      (deliverer.status(id)?.urls ?? []).map(({ url, certificateEndsAt }) => ({ url, endsAt: certificateEndsAt })),
    isDiskShort: () => disk.isShort,
  });
  const watcher = createWatcher({
    store: store.alerts,
    observer,
    clock,
    flush: () => stats.flush(),
    written: () => outbox.wake(),
    trouble: trouble('alerts', 'incidents could not be looked for'),
  });
  return { alerts: inTurn([outbox, watcher]), sendNotice: send, canMail: mail !== null };
}

/** Sends notices with the sender of deliveries: the same signature, timeouts and check of addresses. */
function poster(openSender: OpenSender): Parameters<typeof createSendNotice>[0]['post'] {
  return ({ url, standardSecret }, { id, body }, signal) =>
    sendOnce(
      openSender,
      {
        webhook: { url, headers: {} },
        sharedSecret: null,
        ...(standardSecret !== null && { signatures: ['standard'], standardSecret }),
      },
      { body: Buffer.from(body), sourceId: 'alerts', messageId: id, userId: null },
      signal,
    );
}
