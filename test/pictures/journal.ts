import { randomBytes } from 'node:crypto';
import type { AccountStore, NewAuditEntry } from '../../packages/server/src/accounts/contract.ts';
import { Passwords } from '../../packages/server/src/accounts/passwords.ts';
import { newId } from '../../packages/server/src/admin/ids.ts';
import type { Role } from '../../packages/server/src/core/account.ts';
import type { Random } from '../simulation/random.ts';
import type { Cast } from './cast.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** The user who is signed in on the pictures. */
export const PERSON: { readonly email: string; readonly password: string } = {
  email: 'dana@shop.example',
  password: randomBytes(24).toString('base64url'),
};

const MAYA = 'maya@shop.example';
const FINN = 'finn@shop.example';

const PEOPLE: readonly { readonly email: string; readonly name: string; readonly role: Role }[] = [
  { email: PERSON.email, name: 'Dana Levi', role: 'admin' },
  { email: MAYA, name: 'Maya Okafor', role: 'admin' },
  { email: FINN, name: 'Finn Murphy', role: 'viewer' },
];

/** The people, and what they did up to now. */
export async function writeJournal(accounts: AccountStore, cast: Cast, now: number, random: Random): Promise<void> {
  const passwordHash = await new Passwords(randomBytes).hash(PERSON.password);
  for (const person of PEOPLE) {
    const createdAt = now - 47 * HOUR;
    const invite = { id: newId('inv'), hash: newId('inv'), email: person.email, role: person.role, createdAt };
    await accounts.addInvite({ ...invite, expiresAt: now + HOUR });
    const account = { ...person, id: newId('acc'), passwordHash, createdAt, lastSignInAt: now - HOUR };
    await accounts.acceptInvite(invite.id, account);
  }
  for (const [hoursAgo, actor, action, name, ...fields] of DEEDS) {
    const at = now - Math.round(hoursAgo * HOUR) - random.int(0, MINUTE);
    await accounts.audit({
      at,
      actor,
      action,
      target: targetOf(cast, action, name),
      fields,
      changes: null,
      address: ADDRESSES[actor] ?? '203.0.113.40',
    });
  }
}

const ADDRESSES: Readonly<Record<string, string>> = {
  'one-time link': '127.0.0.1',
  [PERSON.email]: '198.51.100.17',
  [MAYA]: '198.51.100.23',
  [FINN]: '198.51.100.31',
};

type Deed = readonly [hoursAgo: number, actor: string, action: string, name: string | null, ...fields: string[]];

const DEEDS: readonly Deed[] = [
  [47.6, 'one-time link', 'session.create', null],
  [47.5, 'one-time link', 'source.create', 'Web shop', 'name', 'type'],
  [47.4, 'one-time link', 'invite.create', PERSON.email, 'email', 'role'],
  [47.2, PERSON.email, 'invite.accept', PERSON.email],
  [46.9, PERSON.email, 'source.create', 'Backend', 'name', 'type'],
  [46.8, PERSON.email, 'url.check', null],
  [46.7, PERSON.email, 'destination.create', 'Warehouse loader', 'name', 'sourceIds', 'settings.webhooks', 'enabled'],
  [30.1, PERSON.email, 'invite.create', MAYA, 'email', 'role'],
  [29.8, MAYA, 'invite.accept', MAYA],
  [26.3, MAYA, 'destination.create', 'Fraud scoring', 'name', 'sourceIds', 'settings.webhooks', 'enabled'],
  [25.9, MAYA, 'token.create', 'Deploy pipeline', 'name', 'role'],
  [22.4, 'token Deploy pipeline', 'settings.apply', null],
  [21.7, PERSON.email, 'source.rotate_key', 'Mobile app', 'keepOldFor'],
  [15.2, MAYA, 'destination.update', 'Staging mirror', 'enabled'],
  [9.4, MAYA, 'session.create', null],
  [9.3, MAYA, 'destination.test', 'Fraud scoring'],
  [7.8, MAYA, 'destination.update', 'Fraud scoring', 'settings.webhooks', 'settings.sharedSecret'],
  [6.1, FINN, 'session.create', null],
  [5.2, PERSON.email, 'destination.update', 'Email platform', 'trackFilter'],
  [2.6, FINN, 'session.refuse', null],
  [2.5, FINN, 'session.create', null],
  [1.1, 'token Deploy pipeline', 'settings.apply', null],
];

function targetOf({ sources, destinations }: Cast, action: string, name: string | null): NewAuditEntry['target'] {
  if (name === null) return null;
  const [type = ''] = action.split('.');
  const found = [...sources, ...destinations].find((each) => each.name === name);
  return { type, id: found?.id ?? newId('acc'), name };
}
