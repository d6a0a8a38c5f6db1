export interface HealthReport {
  status: 'ok' | 'failing';
  checks: HealthCheck[];
}

export interface HealthCheck {
  name: string;
  ok: boolean;
  /** Why it fails; null when it doesn't. */
  reason: string | null;
}
