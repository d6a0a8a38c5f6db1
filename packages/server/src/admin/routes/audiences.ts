import type { LimitFunction } from 'p-limit';
import type { Definition } from '../../people/contract.ts';
import { traitKey } from '../../people/key.ts';
import { previewAudience } from '../../people/previews.ts';
import type { Suggestible } from '../../people/suggestions.ts';
import { questionsOf } from '../caller.ts';
import type { AdminDeps } from '../deps.ts';
import { memberView, personNameView, reasonView } from '../people-views.ts';
import * as schemas from '../schemas/audience.ts';
import { Why, whyQuery } from '../schemas/person.ts';
import { asInput, definitionRoutes } from './definitions.ts';
import { type AdminApp, found, leftBy, refusals, routesOf } from './route.ts';

/** The most persons in a preview, of an audience and of a computed trait. */
const SAMPLE = 10;
const TRAIT_SAMPLE = 20;

/** Audiences and computed traits (contract 10), and suggestions for the fields of a definition. */
export function audienceRoutes(app: AdminApp, deps: AdminDeps, change: LimitFunction): void {
  const routes = routesOf(app, 'Audiences');
  const traits = routesOf(app, 'Computed traits');
  const { definitions } = deps.people;

  definitionRoutes(app, deps, change, {
    kind: 'audience',
    routes,
    called: 'audience',
    operation: 'Audience',
    shapes: schemas.audience,
  });

  routes.post('/audiences/preview', {
    role: 'viewer',
    action: null,
    operationId: 'previewAudience',
    summary: 'How many members an audience would have now, and some of them; nothing is saved',
    body: schemas.audience.toPreview,
    response: { 200: schemas.AudiencePreview, ...refusals() },
    handler: async (request, reply) => {
      const { body } = request;
      const condition = conditionOf(await definitions.check('audience', body.definition).catch(asInput));
      const asked = { now: deps.clock.now(), sample: SAMPLE, signal: leftBy(reply) };
      const { size, persons, sample } = await previewAudience(questionsOf(deps, request), condition, asked);
      return { size, persons, sample: sample.map(personNameView), key: traitKey(body.name ?? '') };
    },
  });

  routes.get('/audiences/:id/why', {
    operationId: 'explainMembership',
    summary: 'Why a person is in an audience, or is not',
    querystring: whyQuery,
    response: { 200: Why, ...refusals(404) },
    handler: async (request) => {
      const { params, query } = request;
      const definition = await definitions.get('audience', params.id);
      const reason = await questionsOf(deps, request).why(definition, query.person, deps.clock.now());
      return {
        audienceId: definition.id,
        definition: conditionOf(definition.what),
        reason: reasonView(found(reason, `person ${query.person}`)),
      };
    },
  });

  routes.get('/suggestions', {
    operationId: 'suggest',
    summary: 'Names and values that calls had lately, and how often: for the fields of definitions',
    description:
      'Names of events, each with its events of the last 7 days, by when they happened. Else names, or the values of the one ' +
      'that `name` names: of properties in the newest 1,000 events, of traits in the newest persons or groups, 10,000 ' +
      'traits at most. Of values, texts of at most 200 characters, numbers, true and false.',
    querystring: schemas.suggestionsQuery,
    response: { 200: schemas.Suggestions, ...refusals() },
    handler: async (request) => {
      const asked = suggestibleOf(request.query);
      const { items, counted, of } = await questionsOf(deps, request).suggest(asked, deps.clock.now());
      return { items, counted, of };
    },
  });

  definitionRoutes(app, deps, change, {
    kind: 'trait',
    routes: traits,
    called: 'computed trait',
    operation: 'ComputedTrait',
    shapes: schemas.computedTrait,
  });

  traits.post('/traits/preview', {
    role: 'viewer',
    action: null,
    operationId: 'previewComputedTrait',
    summary: 'What a computed trait would be for some persons now; nothing is saved',
    description: 'Persons who lately did what it is computed from are looked at.',
    body: schemas.computedTrait.toPreview,
    response: { 200: schemas.ComputedTraitPreview, ...refusals() },
    handler: async (request) => {
      const { body } = request;
      const trait = traitOf(await definitions.check('trait', body.definition).catch(asInput));
      const sample = await questionsOf(deps, request).tryTrait(trait, deps.clock.now(), TRAIT_SAMPLE);
      return { sample: sample.map(memberView), key: traitKey(body.name ?? '') };
    },
  });
}

function conditionOf(what: Definition['what']): Extract<Definition['what'], { audience: unknown }>['audience'] {
  if ('audience' in what) return what.audience;
  throw new Error('A computed trait is no audience');
}

function traitOf(what: Definition['what']): Extract<Definition['what'], { trait: unknown }>['trait'] {
  if ('trait' in what) return what.trait;
  throw new Error('An audience is no computed trait');
}

function suggestibleOf({ of, type = 'track', event, name, text = '' }: schemas.SuggestionsQuery): Suggestible {
  if (of === 'event') return { of, type, text };
  return of === 'property' ? { of, type, event: event ?? null, name: name ?? null } : { of, name: name ?? null };
}
