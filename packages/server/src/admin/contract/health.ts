/** Events that the service had confirmed and does not have any more. */
export interface Loss {
  id: string;
  foundAt: string;
  /** How many are known of; there may have been more. */
  events: number;
  /** Which they are, in words. */
  what: string;
  /** When an admin took note of it; null while none has. */
  notedAt: string | null;
}

/** Whether webhooks may go to the machine that the service runs on. */
export interface Loopback {
  allowed: boolean;
  /** An admin can allow it until the process ends: the service is bound to this machine alone. */
  canBeAllowed: boolean;
  /** Destinations that hold their events until it is allowed. */
  held: number;
}

export interface HealthReport {
  /** `degraded`: calls are taken, and somebody has to look at something. */
  status: 'ok' | 'degraded' | 'failing';
  checks: HealthCheck[];
}

export interface HealthCheck {
  name: string;
  ok: boolean;
  /** Why it fails; null when it doesn't. */
  reason: string | null;
}
