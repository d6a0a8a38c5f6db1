import { ALERT_RULES, type Rule } from '../packages/server/src/alerts/rules.ts';
import { FAULTS } from '../packages/server/src/core/fault.ts';
import { REASONS } from '../packages/server/src/core/reason.ts';
import { SEND_ERRORS } from '../packages/server/src/core/send-error.ts';

type Cells = readonly (string | number)[];

/** The tables of docs/ that list what the code lists, by the name in the mark above each. */
const TABLES: Readonly<Record<string, readonly Cells[]>> = {
  faults: [['Code', 'Status', 'Means'], ...Object.entries(FAULTS).map(([code, row]) => [`\`${code}\``, ...row])],
  reasons: [
    ['Reason', 'With state', 'Meaning'],
    ...Object.entries(REASONS).map(([code, { state, means }]) => [`\`${code}\``, state, means]),
  ],
  errors: [
    ['Code', 'Class', 'Meaning'],
    ...Object.entries(SEND_ERRORS).map(([code, row]) => [`\`${code}\``, row.class, row.means]),
  ],
  rules: [
    ['Rule', 'Of', 'Means', 'By default'],
    ...Object.entries(ALERT_RULES).map(([code, rule]) => [`\`${code}\``, rule.of, rule.means, defaultOf(rule)]),
  ],
};

/** Pages that have such tables. */
export const CATALOG_PAGES: readonly string[] = ['http-api.md', 'delivery.md', 'alerts.md'];

/** The page with its tables as the code has them now. */
export function withTables(page: string): string {
  return page.replaceAll(
    /^(<!-- Table of (\w+), generated .* -->\n\n)(?:\|.*\n)+/gm,
    (_, mark: string, name: string) => mark + tableOf(TABLES[name] ?? []),
  );
}

function tableOf([head = [], ...rows]: readonly Cells[]): string {
  const line = (cells: Cells): string => `| ${cells.join(' | ')} |\n`;
  return `${line(head)}|${'---|'.repeat(head.length)}\n${rows.map(line).join('')}`;
}

function defaultOf({ enabled, fields }: Rule): string {
  const values = Object.entries(fields).map(([name, { fallback }]) => `\`${name}\` ${fallback}`);
  return [...(enabled ? [] : ['off']), ...values].join(', ') || 'on';
}
