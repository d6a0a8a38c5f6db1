import { newId, newWriteKey } from '../../packages/server/src/admin/ids.ts';
import type { Destination, Webhook } from '../../packages/server/src/core/destination.ts';
import type { Source } from '../../packages/server/src/core/source.ts';

/** Who plays in the pictures: what is set up, and how much comes in. */
export interface Cast {
  readonly sources: readonly CastSource[];
  readonly destinations: readonly Destination[];
}

export interface CastSource extends Source {
  /** Events a minute, mean of the day. */
  readonly perMinute: number;
}

/**
 * @param endpoints `http://HOST:PORT` of what answers for all destinations (endpoints.ts).
 * @param at when it was all set up, milliseconds since the epoch.
 */
export function castOf(endpoints: string, at: number): Cast {
  const createdAt = new Date(at).toISOString();
  const source = (name: string, type: Source['type'], perMinute: number): CastSource => ({
    id: newId('src'),
    name,
    type,
    writeKey: newWriteKey(),
    enabled: true,
    createdAt,
    oldKey: null,
    perMinute,
  });
  const web = source('Web shop', 'web', 26);
  const mobile = source('Mobile app', 'mobile', 15);
  const backend = source('Backend', 'server', 8);
  const hook = (path: string, headers: Webhook['headers'] = {}): Webhook => ({
    id: newId('url'),
    url: `${endpoints}${path}`,
    headers,
  });
  const destination = (
    name: string,
    from: readonly Source[],
    webhooks: readonly Webhook[],
    more: Partial<Destination> = {},
  ): Destination => ({
    id: newId('dst'),
    name,
    type: 'Webhooks',
    sourceIds: from.map(({ id }) => id),
    enabled: true,
    webhooks,
    sharedSecret: newWriteKey(),
    trackFilter: null,
    maxEventAgeHours: null,
    createdAt,
    updatedAt: createdAt,
    ...more,
  });
  return {
    sources: [web, mobile, backend],
    destinations: [
      // First, because that is its place on the page of a message.
      destination('Fraud scoring', [web, backend], [hook('/fraud')]),
      destination(
        'Warehouse loader',
        [web, mobile, backend],
        [hook('/warehouse/eu'), hook('/warehouse/us'), hook('/warehouse/archive', { 'X-Tier': 'cold' })],
      ),
      destination('CRM sync', [web, backend], [hook('/crm')]),
      destination('Email platform', [web, mobile], [hook('/email')], {
        trackFilter: { mode: 'allow', events: ['Product Added', 'Checkout Started', 'Order Completed'] },
      }),
      destination('Staging mirror', [web], [hook('/staging')], { enabled: false }),
    ],
  };
}
