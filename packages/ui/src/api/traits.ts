import type {
  ComputedTrait,
  ComputedTraitChange,
  ComputedTraitPreview,
  ComputedTraitToPreview,
  NewComputedTrait,
} from '../../../server/src/admin/contract.ts';
import { definitionsApi } from './definitions.ts';

export const traitsApi = definitionsApi<
  ComputedTrait,
  NewComputedTrait,
  ComputedTraitChange,
  ComputedTraitToPreview,
  ComputedTraitPreview
>('traits');
