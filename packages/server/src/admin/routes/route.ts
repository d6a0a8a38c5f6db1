import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import Type, { type TSchema } from 'typebox';
import { Fault } from '../../core/fault.ts';
import { id } from '../schemas/field.ts';
import { Problem } from '../schemas/problem.ts';
import type { SchemaOf } from '../schemas/shape.ts';
import { ref } from '../schemas/shape.ts';

/** Fastify with types taken from the schemas of a route. */
export type AdminApp = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

export const idParams: SchemaOf<{ id: string }> = Type.Unsafe<{ id: string }>(Type.Object({ id }));

/** 204 without a body. */
export const nothing: SchemaOf<null> = Type.Unsafe<null>(Type.Null({ description: 'Done; no body' }));

const REFUSALS = {
  400: 'The input is wrong; `errors` names each wrong field',
  401: 'The admin token is missing or wrong',
  404: 'There is no such thing',
  409: 'It clashes with what is there',
  503: 'Storage can take or tell nothing now; Retry-After says when to try again',
} as const;

/** The refusals a route can answer, for its `response`; 401 is among them always. */
export function refusals(...statuses: readonly (keyof typeof REFUSALS)[]): Record<number, SchemaOf<never>> {
  return Object.fromEntries([401 as const, ...statuses].map((status) => [status, refusal(REFUSALS[status])]));
}

/** Typed `never`: a handler throws a Fault, it doesn't answer one. */
function refusal(description: string): SchemaOf<never> {
  const answer: TSchema = { description, content: { 'application/problem+json': { schema: ref(Problem) } } };
  return Type.Unsafe<never>(answer);
}

export function found<T>(thing: T | undefined | null, what: string): T {
  if (thing === undefined || thing === null) throw new Fault('not_found', `There is no ${what}`);
  return thing;
}
