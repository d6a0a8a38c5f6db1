import type { DefinitionIds } from '../../people/contract.ts';
import type { NumberedDefinition, NumberedDefinitions, ProfileSql } from './profile-sql.ts';
import { sql } from './sql.ts';

/** The numbers that definitions have in rows, and which of them are audiences. */
export interface DefinitionTable {
  readonly byId: ReadonlyMap<string, NumberedDefinition>;
  readonly byNumber: NumberedDefinitions;
}

export async function readDefinitionTable({
  read,
  tables,
}: Pick<ProfileSql, 'read' | 'tables'>): Promise<DefinitionTable> {
  const rows = await read<{ number: number; id: string; audience: boolean | number }>(
    sql`SELECT number, id, audience FROM ${tables.definitions} AS d`,
  );
  const all = rows.map(({ number, id, audience }) => ({ number, id, audience: Boolean(audience) }));
  return {
    byId: new Map(all.map((one) => [one.id, one])),
    byNumber: new Map(all.map((one) => [one.number, one])),
  };
}

/** Those of these ids, by their numbers. */
export function wantedOf({ byNumber }: DefinitionTable, of: DefinitionIds): NumberedDefinitions {
  return of === 'all' ? byNumber : new Map([...byNumber].filter(([, { id }]) => of.has(id)));
}

/** The id of a definition's number; empty for one that is gone where rows of it are left. */
export function idOf({ byNumber }: DefinitionTable, number: number): string {
  return byNumber.get(number)?.id ?? '';
}
