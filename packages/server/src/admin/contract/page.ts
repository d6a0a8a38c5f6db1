import type { AuditEntry } from './account.ts';

export interface Page<T> {
  items: T[];
  /** Give it as `cursor` to get the page after this one; null on the last page. */
  next: string | null;
}

/** RFC 9457, served as `application/problem+json`. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  /** Stable; one of those listed in docs/http-api.md. */
  code: string;
  /** For input: each wrong field. */
  errors?: FieldError[];
  /** For `changed_meanwhile`: what was changed since, newest first, as far as the audit log knows. */
  changes?: AuditEntry[];
}

export interface FieldError {
  /** Names joined by dots, list places as numbers: `settings.webhooks.0.url`. Empty for the body as a whole. */
  path: string;
  message: string;
  /** Where the input is a text of lines (a settings file): the line, from 1. */
  line?: number;
}
