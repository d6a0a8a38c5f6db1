import type { Position } from '../../core/event.ts';
import type {
  Decision,
  Definition,
  Due,
  Facts,
  GroupChange,
  GroupTraitFact,
  Identity,
  Message,
  PersonName,
  ProfileWriter,
} from '../../people/contract.ts';
import { SqliteProfileReader } from './profile-reader.ts';

/** Writes of `people.db`, within a transaction of profile-store.ts; see people/contract.ts for what they do. */
export class SqliteProfileWriter extends SqliteProfileReader implements ProfileWriter {
  async setPosition(sourceId: string, position: Position): Promise<void> {
    this.run('INSERT OR REPLACE INTO source (id, position) VALUES (?, ?)', sourceId, position);
  }

  async newPersons(count: number): Promise<readonly number[]> {
    const last = this.counter('person') ?? 0;
    if (count > 0) this.#setCounter('person', last + count);
    return Array.from({ length: count }, (_, i) => last + 1 + i);
  }

  async unite(from: number, into: number): Promise<void> {
    this.run('UPDATE identity SET person = ? WHERE person = ?', into, from);
    this.run(
      `INSERT INTO trait (person, name, value, at, position)
       SELECT ?, name, value, at, position FROM trait WHERE person = ? ON CONFLICT DO UPDATE
       SET value = excluded.value, at = excluded.at, position = excluded.position
       WHERE (excluded.at, excluded.position) > (at, position)`,
      into,
      from,
    );
    this.run('INSERT OR IGNORE INTO membership SELECT ?, grp FROM membership WHERE person = ?', into, from);
    this.run(
      'INSERT OR IGNORE INTO event SELECT ?, at, message_id, kind, properties FROM event WHERE person = ?',
      into,
      from,
    );
    this.run(
      `UPDATE definition SET size = size - 1 WHERE number IN
       (SELECT audience FROM in_audience WHERE person = ?1 UNION ALL SELECT definition FROM computed WHERE person = ?1)`,
      from,
    );
    for (const table of ['trait', 'membership', 'event', 'in_audience', 'computed', 'due']) {
      this.run(`DELETE FROM ${table} WHERE person = ?`, from);
    }
    this.run('DELETE FROM person WHERE id = ?', from);
  }

  async putIdentities(identities: readonly Identity[]): Promise<void> {
    for (const { id, person, since, aliased } of identities) {
      this.run(
        'INSERT OR REPLACE INTO identity (id, person, since, aliased) VALUES (?, ?, ?, ?)',
        id,
        person,
        since,
        aliased,
      );
    }
  }

  async putPersons(persons: readonly PersonName[]): Promise<void> {
    for (const { person, userId } of persons) {
      this.run('INSERT OR REPLACE INTO person (id, user_id) VALUES (?, ?)', person, userId);
    }
  }

  async record({ traits, groups, groupTraits, events }: Facts): Promise<readonly GroupChange[]> {
    const trait = this.prepare(
      `INSERT INTO trait (person, name, value, at, position) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
       SET value = excluded.value, at = excluded.at, position = excluded.position
       WHERE (excluded.at, excluded.position) > (at, position)`,
    );
    for (const { person, name, value, at, position } of traits) {
      trait.run(person, this.numbers.word(name), JSON.stringify(value), at, position);
    }
    const membership = this.prepare('INSERT OR IGNORE INTO membership (person, grp) VALUES (?, ?)');
    for (const { person, groupId } of groups) membership.run(person, this.numbers.word(groupId));
    const event = this.prepare(
      'INSERT OR IGNORE INTO event (person, at, message_id, kind, properties) VALUES (?, ?, ?, ?, ?)',
    );
    // Side by side in the file: a page that several of them change is changed once.
    for (const { person, at, messageId, type, name, properties } of events.toSorted((a, b) => a.person - b.person)) {
      event.run(person, at, messageId, this.numbers.kindNumber({ type, name }), JSON.stringify(properties));
    }
    return groupTraits.filter((fact) => this.#putGroupTrait(fact));
  }

  async decide(decisions: readonly Decision[]): Promise<void> {
    const numbers = this.#definitions();
    const grown = new Map<number, number>();
    for (const { definitionId, person, value, before, dueAt } of decisions) {
      const definition = numbers.get(definitionId);
      if (!definition) continue;
      if (value !== before) {
        const { number, audience } = definition;
        if (audience) {
          if (value === null) this.run('DELETE FROM in_audience WHERE person = ? AND audience = ?', person, number);
          else this.run('INSERT OR IGNORE INTO in_audience (person, audience) VALUES (?, ?)', person, number);
        } else if (value === null) this.run('DELETE FROM computed WHERE person = ? AND definition = ?', person, number);
        else
          this.run(
            'INSERT OR REPLACE INTO computed (person, definition, value) VALUES (?, ?, ?)',
            person,
            number,
            value,
          );
        const change = Number(value !== null) - Number(before !== null);
        grown.set(number, (grown.get(number) ?? 0) + change);
      }
      if (dueAt === null) this.run('DELETE FROM due WHERE person = ? AND definition = ?', person, definition.number);
      else
        this.run(
          'INSERT OR REPLACE INTO due (person, definition, at) VALUES (?, ?, ?)',
          person,
          definition.number,
          dueAt,
        );
    }
    for (const [number, change] of grown) {
      if (change !== 0) this.run('UPDATE definition SET size = size + ? WHERE number = ?', change, number);
    }
  }

  async tell(messages: readonly Omit<Message, 'id'>[]): Promise<void> {
    const numbers = this.#definitions();
    for (const { definitionId, userId, value, at } of messages) {
      const number = numbers.get(definitionId)?.number ?? 0;
      this.run('INSERT INTO outbox (definition, user_id, value, at) VALUES (?, ?, ?, ?)', number, userId, value, at);
      this.run('INSERT OR REPLACE INTO told (user_id, definition, value) VALUES (?, ?, ?)', userId, number, value);
    }
  }

  async told(ids: readonly number[], now: number): Promise<void> {
    for (const id of ids) {
      this.run(
        'UPDATE definition SET sent_at = ? WHERE number = (SELECT definition FROM outbox WHERE id = ?)',
        now,
        id,
      );
      this.run('DELETE FROM outbox WHERE id = ?', id);
    }
  }

  async makeDue(dues: readonly Due[]): Promise<void> {
    const numbers = this.#definitions();
    for (const { definitionId, person, at } of dues) {
      this.run(
        `INSERT INTO due (person, definition, at) VALUES (?, ?, ?) ${EARLIER}`,
        person,
        numbers.get(definitionId)?.number ?? 0,
        at,
      );
    }
  }

  async makeGroupDue(groupId: string, definitionIds: readonly string[], at: number): Promise<void> {
    const group = this.numbers.knownWord(groupId);
    if (group === null) return;
    for (const id of definitionIds) {
      this.run(
        `INSERT INTO due (person, definition, at) SELECT person, ?, ? FROM membership WHERE grp = ? ${EARLIER}`,
        this.definitionNumber(id),
        at,
        group,
      );
    }
  }

  async notDue(dues: readonly Due[]): Promise<void> {
    const last = dues.at(-1);
    if (!last) return;
    const numbers = this.#definitions();
    for (const { definitionId, person } of dues) {
      const number = numbers.get(definitionId)?.number;
      if (number === undefined)
        this.run(
          'DELETE FROM due WHERE person = ? AND at <= ? AND definition NOT IN (SELECT number FROM definition)',
          person,
          last.at,
        );
      else this.run('DELETE FROM due WHERE person = ? AND definition = ?', person, number);
    }
  }

  async putDefinition({ size: _size, sentAt: _sentAt, ...definition }: Definition): Promise<void> {
    this.run(
      'INSERT INTO definition (number, id, json) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET json = excluded.json',
      this.numbers.word(definition.id),
      definition.id,
      JSON.stringify(definition),
    );
    this.run('INSERT OR IGNORE INTO own_source (id) VALUES (?)', definition.sourceId);
  }

  async forget(definitionId: string, limit: number): Promise<boolean> {
    const number = this.definitionNumber(definitionId);
    let left = limit;
    const some = (table: string, column: string, key: string): void => {
      if (left <= 0) return;
      left -= this.run(
        `DELETE FROM ${table} WHERE ${column} = ?1 AND ${key} IN (SELECT ${key} FROM ${table} WHERE ${column} = ?1 LIMIT ?2)`,
        number,
        left,
      );
    };
    some('outbox', 'definition', 'id');
    some('in_audience', 'audience', 'person');
    some('computed', 'definition', 'person');
    some('told', 'definition', 'user_id');
    some('size', 'definition', 'hour');
    if (left <= 0) return false;
    // What is due under it is passed over when its time comes.
    this.run('DELETE FROM definition WHERE number = ?', number);
    return true;
  }

  async keepSizes(hour: number): Promise<void> {
    this.run('INSERT OR REPLACE INTO size (definition, hour, size) SELECT number, ?, size FROM definition', hour);
  }

  async wipe(): Promise<void> {
    for (const table of PROFILES) this.run(`DELETE FROM ${table}`);
    this.run('UPDATE definition SET size = 0');
  }

  async setRebuilt(position: Position | null): Promise<void> {
    if (position === null) this.run("DELETE FROM counter WHERE name = 'rebuilt'");
    else this.#setCounter('rebuilt', position);
  }

  protected run(sql: string, ...args: readonly (string | number | null)[]): number {
    return Number(this.prepare(sql).run(...args).changes);
  }

  /** Answers whether the value changed. */
  #putGroupTrait({ groupId, name, value, at, position }: GroupTraitFact): boolean {
    const group = this.numbers.word(groupId);
    const trait = this.numbers.word(name);
    const json = JSON.stringify(value);
    const [before] = this.all('SELECT value FROM group_trait WHERE grp = ? AND name = ?', group, trait);
    const written = this.run(
      `INSERT INTO group_trait (grp, name, value, at, position) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
       SET value = excluded.value, at = excluded.at, position = excluded.position
       WHERE (excluded.at, excluded.position) > (at, position)`,
      group,
      trait,
      json,
      at,
      position,
    );
    return written > 0 && before?.['value'] !== json;
  }

  #definitions(): ReadonlyMap<string, { readonly number: number; readonly audience: boolean }> {
    const rows = this.all("SELECT number, id, json ->> '$.what.audience' IS NOT NULL AS audience FROM definition");
    return new Map(
      rows.map((row) => [String(row['id']), { number: Number(row['number']), audience: row['audience'] === 1 }]),
    );
  }

  #setCounter(name: 'person' | 'rebuilt', value: number): void {
    this.run('INSERT OR REPLACE INTO counter (name, value) VALUES (?, ?)', name, value);
  }
}

const EARLIER = 'ON CONFLICT DO UPDATE SET at = min(at, excluded.at)';

/** Tables of the profiles and of what was decided of them; numbers and what was told stay. */
const PROFILES = [
  ...['identity', 'source', 'person', 'trait', 'membership', 'group_trait', 'event'],
  ...['in_audience', 'computed', 'due'],
] as const;
