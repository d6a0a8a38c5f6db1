import { Fault } from '../core/fault.ts';
import type { Source } from '../core/source.ts';
import { Quotas, type QuotasNeeds, type Sent } from './quota.ts';

export interface AdmissionNeeds extends QuotasNeeds {
  /** Whether the disk has so little room that the rest is kept for server sources. */
  isDiskShort(): boolean;
}

/** Decides about a request before its body is read: who may send, from where, and how much. */
export class Admission {
  readonly #needs: AdmissionNeeds;
  readonly #quotas: Quotas;

  constructor(needs: AdmissionNeeds) {
    this.#needs = needs;
    this.#quotas = new Quotas(needs);
  }

  /** @throws Fault `unknown_write_key`, `origin_not_allowed`, `quota_exceeded` or `storage_full`. */
  check(source: Source, { ip, origin }: { readonly ip: string; readonly origin?: string | undefined }): void {
    const { allowedOrigins = [], type, sentBy } = source;
    if (sentBy !== undefined) {
      throw new Fault('unknown_write_key', 'This key is of an audience or computed trait, which alone sends with it.');
    }
    if (allowedOrigins.length > 0 && origin !== undefined && !allowedOrigins.includes(origin)) {
      throw new Fault('origin_not_allowed', `Pages of ${origin} may not send to this source.`);
    }
    this.#quotas.check(source, ip);
    if (type !== 'server' && this.#needs.isDiskShort()) {
      const message =
        'The disk has little room left, which is kept for server sources. Make room; all goes on by itself.';
      throw new Fault('storage_full', message, { retryAfter: 10 });
    }
  }

  charge(sent: Sent): void {
    this.#quotas.charge(sent);
  }
}
