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

/** The definitions in a writer's memory. Only this writer changes them. */
export class KnownDefinitions {
  readonly #profiles: ProfileSql;
  #table: Promise<DefinitionTable> | null = null;

  constructor(profiles: ProfileSql) {
    this.#profiles = profiles;
  }

  table(): Promise<DefinitionTable> {
    this.#table ??= readDefinitionTable(this.#profiles);
    return this.#table;
  }

  /** The numbers of definitions by id. An unknown id gets 0, which no row has. */
  async numbers(): Promise<(id: string) => number> {
    const { byId } = await this.table();
    return (id) => byId.get(id)?.number ?? 0;
  }

  /** Forgets the table; the next use reads it again. */
  changed(): void {
    this.#table = null;
  }
}

/** The definitions with these ids, by number. */
export function wantedOf({ byNumber }: DefinitionTable, of: DefinitionIds): NumberedDefinitions {
  return of === 'all' ? byNumber : new Map([...byNumber].filter(([, { id }]) => of.has(id)));
}

/** The id of a definition by its number. Empty if the definition is gone and rows of it are left. */
export function idOf({ byNumber }: DefinitionTable, number: number): string {
  return byNumber.get(number)?.id ?? '';
}
