import { type MemberPlace, NAMING_TRAITS } from '../people/contract.ts';
import type { KnownMember } from '../people/queries.ts';
import { listedMemberView } from './people-views.ts';

export type ExportFormat = 'csv' | 'ndjson';

export interface MemberExport {
  readonly format: ExportFormat;
  /** Whether members have values, which get a column. */
  readonly isTrait: boolean;
  /** The first page: the newest `EXPORT_PAGE` members. */
  readonly first: readonly KnownMember[];
  /** Reads members before a given one, latest joined first. */
  readonly read: (before: MemberPlace, limit: number) => Promise<readonly KnownMember[]>;
  /** Throws if the members that were read are not all there are. */
  readonly check: () => Promise<void>;
}

/** Members read at a time. Only these are in memory, however slowly the client reads. */
export const EXPORT_PAGE = 200;

/** A file of all members, page by page. */
export async function* memberFile({ format, isTrait, first, read, check }: MemberExport): AsyncIterable<string> {
  const line = format === 'csv' ? (member: KnownMember) => csvLine(member, isTrait) : jsonLine;
  if (format === 'csv') yield csvHeader(isTrait);
  for (let page = first; page.length > 0; ) {
    yield page.map(line).join('');
    const last = page.at(-1);
    page = page.length < EXPORT_PAGE || !last ? [] : await read(last, EXPORT_PAGE);
  }
  await check();
}

/** `vip-members-2026-11-22.csv`: only letters that every system allows. */
export function exportName(key: string, format: ExportFormat, now: number): string {
  const name = key.replace(/[^a-z\d_-]+/gi, '_').slice(0, 100);
  return `${name}-members-${new Date(now).toISOString().slice(0, 10)}.${format}`;
}

function jsonLine(member: KnownMember): string {
  return `${JSON.stringify(listedMemberView(member))}\n`;
}

const BYTE_ORDER_MARK = '\ufeff';
const COLUMNS = ['userId', 'id', 'ids', 'joinedAt', ...NAMING_TRAITS] as const;

/** The byte order mark: without it a spreadsheet reads UTF-8 as an older encoding. */
function csvHeader(isTrait: boolean): string {
  return BYTE_ORDER_MARK + row([...COLUMNS, ...(isTrait ? ['value'] : [])]);
}

function csvLine(member: KnownMember, isTrait: boolean): string {
  const { userId, id, ids, joinedAt, names, value } = listedMemberView(member);
  const named = NAMING_TRAITS.map((name) => names[name]);
  return row([userId, id, ids, joinedAt, ...named, ...(isTrait ? [value] : [])]);
}

function row(cells: readonly unknown[]): string {
  return `${cells.map(cell).join(',')}\r\n`;
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = harmless(typeof value === 'string' ? value : JSON.stringify(value));
  return /[",;\t\r\n]|^ | $/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Puts a quote before texts that a spreadsheet would run as a formula: a formula may send neighbouring cells elsewhere. The form
 * of a deletion removes this quote again, so a text with its own quote gets one too.
 */
function harmless(text: string): string {
  return /^'*[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
}
