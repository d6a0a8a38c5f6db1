import type { Queries } from './database.ts';

/** The numbers that definitions have in rows, and which of them are audiences. */
export interface DefinitionTable {
  readonly byId: ReadonlyMap<string, NumberedDefinition>;
  readonly byNumber: ReadonlyMap<number, NumberedDefinition>;
}

export interface NumberedDefinition {
  readonly number: number;
  readonly id: string;
  readonly audience: boolean;
}

export async function readDefinitionTable(queries: Queries): Promise<DefinitionTable> {
  const rows = await queries.query<NumberedDefinition & { [name: string]: unknown }>(
    'SELECT number, id, audience FROM profile_definitions',
  );
  return {
    byId: new Map(rows.map((row) => [row.id, row])),
    byNumber: new Map(rows.map((row) => [row.number, row])),
  };
}
