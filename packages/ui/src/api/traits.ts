import type { ComputedTrait, ComputedTraitPreview } from '../../../server/src/admin/contract.ts';
import { definitionsApi } from './definitions.ts';

export const traitsApi = definitionsApi<ComputedTrait, ComputedTraitPreview>('traits');
