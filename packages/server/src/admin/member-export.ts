import { type MemberPlace, NAMING_TRAITS } from '../people/contract.ts';
import type { KnownMember } from '../people/queries.ts';
import { listedMemberView } from './people-views.ts';

export type ExportFormat = 'csv' | 'ndjson';

export interface MemberExport {
  readonly format: ExportFormat;
  /** Values differ from person to person, and have a column. */
  readonly isTrait: boolean;
  /** The first page: the newest `EXPORT_PAGE` members. */
  readonly first: readonly KnownMember[];
  /** So many members before one, those who joined last first. */
  readonly read: (before: MemberPlace, limit: number) => Promise<readonly KnownMember[]>;
  /** Throws when what was read is not all there is. */
  readonly check: () => Promise<void>;
}

/** Members that are read at a time: no more of them are in memory, however slowly the file is taken. */
export const EXPORT_PAGE = 200;

/** A file of all members, a page at a time. */
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

/** `vip-members-2026-11-22.csv`: letters that every system takes. */
export function exportName(key: string, format: ExportFormat, now: number): string {
  const name = key.replace(/[^a-z\d_-]+/gi, '_').slice(0, 100);
  return `${name}-members-${new Date(now).toISOString().slice(0, 10)}.${format}`;
}

function jsonLine(member: KnownMember): string {
  return `${JSON.stringify(listedMemberView(member))}\n`;
}

const BYTE_ORDER_MARK = '\ufeff';
const COLUMNS = ['userId', 'id', 'ids', 'joinedAt', ...NAMING_TRAITS] as const;

/** Without a byte order mark a spreadsheet takes UTF-8 for an older encoding. */
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
 * A spreadsheet takes a text that begins so for a formula, which may send what stands beside it elsewhere. The form of a deletion takes the
 * quote away again: from a text that has one of its own, too.
 */
function harmless(text: string): string {
  return /^'*[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
}
