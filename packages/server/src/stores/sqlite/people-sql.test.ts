import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Condition } from '../../people/definition.ts';
import { compile } from '../../people/evaluate.ts';
import type { Person } from '../../people/person.ts';
import { condition, moment, person } from '../../people/test-people.ts';
import { PEOPLE_SCHEMA } from './people-schema.ts';
import { membersQuery, type Query, registerPeopleFunctions } from './people-sql.ts';

let db: DatabaseSync;

beforeEach(() => {
  db = new DatabaseSync(':memory:');
  db.exec(PEOPLE_SCHEMA);
  registerPeopleFunctions(db);
});

afterEach(() => db.close());

const crowd = fc.array(person, { minLength: 1, maxLength: 6 });

test('a query names exactly the persons for whom the predicate holds', () => {
  fc.assert(
    fc.property(crowd, fc.array(condition, { minLength: 1, maxLength: 8 }), moment, (people, definitions, now) => {
      store(people);
      for (const definition of definitions) {
        const holds = compile(definition);
        const members = idsWhere(people, (who) => holds(who, now).value);
        expect(idsOf(membersQuery(definition, now))).toEqual(members);
        const some = members.filter((id) => id > 1 && id <= 4);
        expect(idsOf(membersQuery(definition, now, { after: 1, upTo: 4 }))).toEqual(some);
      }
    }),
    { numRuns: 400 },
  );
});

test('a name that is no SQL stays a name', () => {
  const name = "x'; DROP TABLE person; --";
  const events = [{ at: 1, type: 'track', name, properties: {}, messageId: 'm' } as const];
  store([{ traits: new Map([[name, { value: name, at: 1 }]]), groups: new Map(), events, audiences: new Set() }]);
  const definition: Condition = { all: [{ event: { name } }, { trait: name, is: { equals: name } }] };
  expect(idsOf(membersQuery(definition, 2))).toEqual([1]);
});

function idsOf({ sql, params }: Query): number[] {
  const rows = db.prepare(sql).all(...params);
  return rows.map(({ id }) => Number(id)).sort((a, b) => a - b);
}

/** Persons are numbered from 1. */
function idsWhere(people: readonly Person[], holds: (who: Person) => boolean): number[] {
  return people.flatMap((who, i) => (holds(who) ? [i + 1] : []));
}

function store(people: readonly Person[]): void {
  for (const table of ['person', 'trait', 'membership', 'group_trait', 'event', 'member']) {
    db.exec(`DELETE FROM ${table}`);
  }
  const run = (sql: string, ...params: (string | number)[]): void => void db.prepare(sql).run(...params);
  const word = (text: string): number => {
    run('INSERT OR IGNORE INTO word (text) VALUES (?)', text);
    return Number(db.prepare('SELECT id FROM word WHERE text = ?').get(text)?.['id']);
  };
  const kind = (type: string, name: string): number => {
    run('INSERT OR IGNORE INTO kind (type, name) VALUES (?, ?)', type, name);
    return Number(db.prepare('SELECT id FROM kind WHERE type = ? AND name = ?').get(type, name)?.['id']);
  };
  for (const [i, { traits, groups, events, audiences }] of people.entries()) {
    const id = i + 1;
    run('INSERT INTO person (id, user_id) VALUES (?, ?)', id, `u${id}`);
    for (const [name, { value, at }] of traits) {
      const row = [id, word(name), JSON.stringify(value), at];
      run('INSERT INTO trait (person, name, value, at) VALUES (?, ?, ?, ?)', ...row);
    }
    for (const [group, of] of groups) {
      // Each person brings groups of their own: one name means other traits to another person.
      const grp = word(`${id} ${group}`);
      run('INSERT INTO membership (person, grp) VALUES (?, ?)', id, grp);
      for (const [name, value] of of) {
        run(
          'INSERT INTO group_trait (grp, name, value, at) VALUES (?, ?, ?, 0)',
          grp,
          word(name),
          JSON.stringify(value),
        );
      }
    }
    for (const { at, type, name, properties, messageId } of events) {
      const row = [id, at, kind(type, name ?? ''), messageId, JSON.stringify(properties)];
      run('INSERT INTO event (person, at, kind, message_id, properties) VALUES (?, ?, ?, ?, ?)', ...row);
    }
    for (const audience of audiences) {
      run('INSERT INTO member (definition, person) VALUES (?, ?)', word(audience), id);
    }
  }
}
