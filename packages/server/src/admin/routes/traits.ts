import type { LimitFunction } from 'p-limit';
import type { Definition } from '../../people/contract.ts';
import { traitKey } from '../../people/key.ts';
import type { AdminDeps } from '../deps.ts';
import { memberView } from '../people-views.ts';
import * as schemas from '../schemas/audience.ts';
import { ref } from '../schemas/shape.ts';
import { asInput, definitionRoutes } from './definitions.ts';
import { type AdminApp, refusals, routesOf } from './route.ts';

/** Persons that a preview names. */
const SAMPLE = 20;

/** Computed traits. */
export function traitRoutes(app: AdminApp, deps: AdminDeps, change: LimitFunction): void {
  const routes = routesOf(app, 'Computed traits');
  const { definitions, queries } = deps.people;

  definitionRoutes(app, deps, change, {
    kind: 'trait',
    path: '/traits',
    routes,
    called: 'computed trait',
    operation: 'ComputedTrait',
    one: schemas.ComputedTrait,
    made: schemas.NewComputedTrait,
    change: schemas.ComputedTraitChange,
  });

  routes.post('/traits/preview', {
    role: 'viewer',
    action: null,
    operationId: 'previewComputedTrait',
    summary: 'What a computed trait would be for some persons now; nothing is saved',
    description: 'Persons who lately did what it is computed from are looked at.',
    body: ref(schemas.ComputedTraitToPreview),
    response: { 200: ref(schemas.ComputedTraitPreview), ...refusals(503) },
    handler: async ({ body }) => {
      const trait = traitOf(await definitions.check('trait', body.definition).catch(asInput));
      const sample = await queries.tryTrait(trait, deps.clock.now(), SAMPLE);
      return { sample: sample.map(memberView), key: traitKey(body.name ?? '') };
    },
  });
}

function traitOf(what: Definition['what']): Extract<Definition['what'], { trait: unknown }>['trait'] {
  if ('trait' in what) return what.trait;
  throw new Error('An audience is no computed trait');
}
