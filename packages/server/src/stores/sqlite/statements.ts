import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { Statement, Value } from '../relational/sql.ts';

/** A statement in the form in which it crosses to a thread. */
export interface BoundStatement {
  readonly text: string;
  readonly values: readonly SQLInputValue[];
}

export function bound({ text, values }: Statement): BoundStatement {
  return { text, values: values.map(toInput) };
}

export function toInput(value: Value): SQLInputValue {
  return typeof value === 'object' && value !== null && 'json' in value ? value.json : value;
}

export function run(db: DatabaseSync, { text, values }: BoundStatement): object[] {
  return db.prepare(text).all(...values);
}

/** The rows of a statement. The caller says their type. */
export function rowsOf<Row extends object>(db: DatabaseSync, text: string, ...values: readonly SQLInputValue[]): Row[] {
  return db.prepare(text).all(...values) as object[] as Row[];
}
