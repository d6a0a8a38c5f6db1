import Type from 'typebox';
import { ROLES, type Role } from '../../core/account.ts';
import type * as contract from '../contract.ts';
import { bound, id, name, textOrNull, time, timeOrNull } from './field.ts';
import { cursor, limit, type PageQuery } from './page.ts';
import { E_MAIL } from './pattern.ts';
import type { SchemaOf } from './shape.ts';
import { named, nullable, ref, refOrNull } from './shape.ts';

const role: SchemaOf<Role> = Type.Unsafe<Role>(Type.Enum([...ROLES], { type: 'string' }));

const email: SchemaOf<string> = Type.Unsafe<string>(
  Type.String({ maxLength: 254, pattern: E_MAIL, description: 'An e-mail address' }),
);

/** A secret as it was given; long enough for all there are. */
const secret: SchemaOf<string> = Type.Unsafe<string>(Type.String({ minLength: 1, maxLength: 512 }));

const newPassword: SchemaOf<string> = Type.Unsafe<string>(
  Type.String({ minLength: 12, maxLength: 200, description: '12 to 200 characters' }),
);

export const Account: SchemaOf<contract.Account> = named<contract.Account>()(
  'Account',
  Type.Object(
    { id, email, name, role, createdAt: time, lastSignInAt: timeOrNull },
    { description: 'A person with a password of their own' },
  ),
);

export const AccountChange: SchemaOf<contract.AccountChange> = named<contract.AccountChange>()(
  'AccountChange',
  Type.Object(
    { name: Type.Optional(name), role: Type.Optional(role) },
    { additionalProperties: false, examples: [{ role: 'viewer' }] },
  ),
);

/** Which of the fields belong together is checked by the route, whose words are clearer than a choice of schemas. */
export const SignIn: SchemaOf<{ token?: string; link?: string; email?: string; password?: string }> = Type.Unsafe({
  ...Type.Object(
    {
      token: Type.Optional(secret),
      link: Type.Optional(secret),
      email: Type.Optional(email),
      password: Type.Optional(Type.String({ maxLength: 200 })),
    },
    {
      additionalProperties: false,
      description:
        'Exactly one: `token` (the admin token), `link` (what a one-time link ends with), `email` and `password`',
      examples: [{ email: 'ada@example.com', password: 'correct horse battery' }],
    },
  ),
  $id: 'SignIn',
});

export const Session: SchemaOf<contract.Session> = named<contract.Session>()(
  'Session',
  Type.Object({
    role,
    account: refOrNull(Account),
    csrfToken: Type.String({ description: 'To be sent as `X-CSRF-Token` with every call that changes something' }),
    expiresAt: time,
    version: Type.String(),
  }),
);

export const ListedSession: SchemaOf<contract.ListedSession> = named<contract.ListedSession>()(
  'ListedSession',
  Type.Object({
    id: Type.String(),
    email: textOrNull,
    way: Type.Enum(['password', 'token', 'link'], { type: 'string' }),
    createdAt: time,
    usedAt: time,
    expiresAt: time,
    current: Type.Boolean({ description: 'It is the one that asks' }),
  }),
);

export const PasswordChange: SchemaOf<contract.PasswordChange> = named<contract.PasswordChange>()(
  'PasswordChange',
  Type.Object({ current: Type.String({ maxLength: 200 }), password: newPassword }, { additionalProperties: false }),
);

export const NewInvite: SchemaOf<contract.NewInvite> = named<contract.NewInvite>()(
  'NewInvite',
  Type.Object(
    { email, role },
    { additionalProperties: false, examples: [{ email: 'ada@example.com', role: 'viewer' }] },
  ),
);

const invite = { id, email, role, createdAt: time, expiresAt: time };

export const Invite: SchemaOf<contract.Invite> = named<contract.Invite>()('Invite', Type.Object(invite));

export const CreatedInvite: SchemaOf<contract.CreatedInvite> = named<contract.CreatedInvite>()(
  'CreatedInvite',
  Type.Object({
    ...invite,
    link: Type.String({ description: 'Path of the page where it is accepted; shown this once' }),
  }),
);

export const InviteSecret: SchemaOf<contract.InviteSecret> = named<contract.InviteSecret>()(
  'InviteSecret',
  Type.Object({ secret }, { additionalProperties: false }),
);

export const AcceptedInvite: SchemaOf<contract.AcceptedInvite> = named<contract.AcceptedInvite>()(
  'AcceptedInvite',
  Type.Object({ secret, name, password: newPassword }, { additionalProperties: false }),
);

const token = {
  ...{ id, name, role, readOnly: Type.Boolean({ description: 'It changes nothing, whatever its role' }) },
  ...{ createdAt: time, expiresAt: timeOrNull, lastUsedAt: timeOrNull },
};

export const ApiToken: SchemaOf<contract.ApiToken> = named<contract.ApiToken>()('ApiToken', Type.Object(token));

export const NewApiToken: SchemaOf<contract.NewApiToken> = named<contract.NewApiToken>()(
  'NewApiToken',
  Type.Object(
    {
      name,
      role,
      readOnly: Type.Optional(Type.Boolean({ default: false, description: 'It changes nothing, whatever its role' })),
      expiresAt: Type.Optional(
        nullable(Type.String({ maxLength: 40, description: 'ISO 8601; from then on it is refused' })),
      ),
    },
    { additionalProperties: false, examples: [{ name: 'Dashboard', role: 'viewer' }] },
  ),
);

export const CreatedApiToken: SchemaOf<contract.CreatedApiToken> = named<contract.CreatedApiToken>()(
  'CreatedApiToken',
  Type.Object({ ...token, token: Type.String({ description: 'Shown this once' }) }),
);

const target = Type.Object({ type: Type.String(), id: Type.String(), name: textOrNull });

export const AuditValue: SchemaOf<contract.AuditValue> = named<contract.AuditValue>()(
  'AuditValue',
  Type.Object(
    { field: Type.String(), before: textOrNull, after: textOrNull },
    { description: 'JSON, or the first 2,000 characters of it and `…`. Both null: a secret was changed' },
  ),
);

export const AuditEntry: SchemaOf<contract.AuditEntry> = named<contract.AuditEntry>()(
  'AuditEntry',
  Type.Object(
    {
      id: Type.String(),
      at: time,
      actor: Type.String(),
      action: Type.String(),
      target: Type.Union([target, Type.Null()]),
      fields: Type.Array(Type.String(), { description: 'Names of the fields that the call set' }),
      address: Type.String(),
      revision: nullable(Type.Integer({ description: 'Of the target, after the change' })),
      values: Type.Array(ref(AuditValue), { description: 'The fields whose value is another now' }),
    },
    { description: 'One change, or one attempt to sign in' },
  ),
);

interface AuditQuery extends PageQuery {
  actor?: string;
  action?: string;
  from?: string;
  to?: string;
}

const filterText = Type.String({ minLength: 1, maxLength: 254 });

export const auditQuery: SchemaOf<AuditQuery> = Type.Unsafe<AuditQuery>(
  Type.Object(
    {
      actor: Type.Optional(filterText),
      action: Type.Optional(Type.Unsafe<string>({ ...filterText, description: 'What the action begins with' })),
      from: Type.Optional(bound),
      to: Type.Optional(bound),
      cursor: Type.Optional(cursor),
      limit: Type.Optional(limit),
    },
    { additionalProperties: false },
  ),
);
