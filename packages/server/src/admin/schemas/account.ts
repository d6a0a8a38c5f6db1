import type { Static } from 'typebox';
import { ROLES } from '../../core/account.ts';
import { bound, E_MAIL, id, name, revision, textOrNull, time, timeOrNull } from './field.ts';
import { paged } from './page.ts';
import {
  answer,
  closed,
  described,
  flag,
  input,
  list,
  nullable,
  object,
  oneOf,
  optional,
  optionals,
  text,
} from './shape.ts';

const role = oneOf(ROLES);

const email = text({ maxLength: 254, pattern: E_MAIL, description: 'An e-mail address' });

/** A secret in a request; no valid one is longer. */
const secret = text({ minLength: 1, maxLength: 512 });

const password = text({ maxLength: 200 });
const newPassword = described(password, { minLength: 12, description: '12 to 200 characters' });

export type Account = Static<typeof Account>;
export const Account = answer(
  'Account',
  {
    ...{ id, email, name, role, createdAt: time },
    lastSignInAt: described(timeOrNull, 'Null until they have signed in once'),
  },
  'A person with a password of their own',
);

export type AccountChange = Static<typeof AccountChange>;
export const AccountChange = input('AccountChange', optionals({ name, role }), { examples: [{ role: 'viewer' }] });

/** The route checks which fields belong together: its messages are clearer than those of a choice of schemas. */
export type SignIn = { token: string } | { link: string } | { email: string; password: string };
export const SignIn = input('SignIn', optionals({ token: secret, link: secret, email, password }), {
  description:
    'Exactly one: `token` (the admin token), `link` (what a one-time link ends with), `email` and `password`',
  examples: [{ email: 'ada@example.com', password: 'correct horse battery' }],
});

export type Session = Static<typeof Session>;
export const Session = answer('Session', {
  role,
  account: nullable(Account, 'Null for the admin token and the one-time link'),
  csrfToken: text('To be sent as `X-CSRF-Token` with every call that changes something'),
  expiresAt: time,
  version: text("The product's version"),
});

export type ListedSession = Static<typeof ListedSession>;
export const ListedSession = answer('ListedSession', {
  id: text(),
  email: described(textOrNull, 'Null for one that the admin token or a one-time link opened'),
  way: oneOf(['password', 'token', 'link'], 'What opened it'),
  createdAt: time,
  usedAt: described(time, 'To the hour'),
  expiresAt: time,
  current: flag('It is the one that asks'),
});

export type PasswordChange = Static<typeof PasswordChange>;
export const PasswordChange = input('PasswordChange', { current: password, password: newPassword });

export type NewInvite = Static<typeof NewInvite>;
export const NewInvite = input(
  'NewInvite',
  { email, role },
  { examples: [{ email: 'ada@example.com', role: 'viewer' }] },
);

const invite = { id, email, role, createdAt: time, expiresAt: described(time, '7 days after it was made') };

export type Invite = Static<typeof Invite>;
export const Invite = answer('Invite', invite);

export type CreatedInvite = Static<typeof CreatedInvite>;
export const CreatedInvite = answer('CreatedInvite', {
  ...invite,
  link: text('Path of the page where it is accepted (`/invite#…`); shown this once'),
});

export type InviteSecret = Static<typeof InviteSecret>;
export const InviteSecret = input('InviteSecret', { secret: described(secret, 'What follows `#` in the link') });

export type AcceptedInvite = Static<typeof AcceptedInvite>;
export const AcceptedInvite = input('AcceptedInvite', { secret, name, password: newPassword });

const readOnly = flag('It may only read, also where its role may change things');

const token = {
  ...{ id, name, role, readOnly, createdAt: time },
  expiresAt: described(timeOrNull, 'From then on it is refused; null for never'),
  lastUsedAt: timeOrNull,
};

export type ApiToken = Static<typeof ApiToken>;
export const ApiToken = answer('ApiToken', token);

export type NewApiToken = Static<typeof NewApiToken>;
export const NewApiToken = input(
  'NewApiToken',
  {
    ...{ name, role },
    readOnly: optional(described(readOnly, { default: false })),
    expiresAt: optional(
      nullable(text({ maxLength: 40, description: 'ISO 8601, in the future; from then on it is refused' })),
    ),
  },
  { examples: [{ name: 'Dashboard', role: 'viewer' }] },
);

export type CreatedApiToken = Static<typeof CreatedApiToken>;
export const CreatedApiToken = answer('CreatedApiToken', { ...token, token: text('Shown this once') });

export type AuditValue = Static<typeof AuditValue>;
export const AuditValue = answer(
  'AuditValue',
  { field: text(), before: textOrNull, after: textOrNull },
  'JSON, or the first 2,000 characters of it and `…`. Both null: a secret was changed',
);

export type AuditEntry = Static<typeof AuditEntry>;
export const AuditEntry = answer(
  'AuditEntry',
  {
    id: text(),
    at: time,
    actor: text(
      "An account's e-mail address, `admin token`, `one-time link` or `token NAME`; of a failed sign-in the address given",
    ),
    action: text('`source.create`, `destination.update`, `session.refuse`…'),
    target: nullable(object({ type: text(), id: text(), name: textOrNull }), 'Null where there is none (a sign-in)'),
    fields: list(text(), 'Names of the fields that the call set'),
    address: text('Where the request came from'),
    revision: nullable(described(revision, 'Of the target, after the change')),
    values: list(AuditValue, 'The fields whose value is another now'),
  },
  'One change, or one attempt to sign in',
);

const filterText = text({ minLength: 1, maxLength: 254 });

export const auditQuery = closed({
  ...optionals({ actor: filterText, action: described(filterText, 'What the action begins with') }),
  ...optionals({ from: bound, to: bound }),
  ...paged,
});
