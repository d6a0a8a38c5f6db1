import type { Icon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { ListedMember } from '../../../server/src/admin/contract.ts';
import type { Defined, DefinitionsApi } from '../api/definitions.ts';
import type { Column } from '../components/data-table.tsx';
import type { Tab } from '../shell/thing-page.tsx';
import type { Listed, THINGS } from '../shell/things.ts';

/** The values of a form for a definition. */
export type DefinitionValues = {
  readonly name: string;
  /** Empty: the service makes the key from the name. */
  readonly key: string;
  readonly destinationIds: readonly string[];
  /** As `DefinitionEditor` takes it. */
  readonly definition: unknown;
};

/** What differs between audiences and computed traits: their words. */
export interface DefinitionKind extends Listed {
  readonly list: (typeof THINGS)['audience' | 'trait']['list'];
  /** The persons that its size counts: `members`. */
  readonly members: string;
  /** Words in the member list for when a person was added. */
  readonly since: string;
  /** An example of the value that its calls carry for the key. */
  readonly value: string;
  /** Heading of the definition. */
  readonly title: string;
  readonly api: DefinitionsApi<unknown>;
}

/** A kind, and one definition of it. */
export interface OfKind {
  readonly kind: DefinitionKind;
  readonly of: Defined;
}

/** What the pages of a kind need. */
export interface ShownKind extends DefinitionKind {
  readonly icon: Icon;
  /** What the kind is for. */
  readonly about: string;
  /** Shown to a new user when the list is empty. */
  readonly example: ReactNode;
  /** Column head of the size: `Members`. */
  readonly sizeOf: string;
  /** The tabs of a definition's page. */
  readonly tabs: readonly Tab[];
  /** A column beside each person. */
  readonly beside: (id: string) => Column<ListedMember>;
}
