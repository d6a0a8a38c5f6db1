import type { Icon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { ListedMember } from '../../../server/src/admin/contract.ts';
import type { Defined, DefinitionsApi } from '../api/definitions.ts';
import type { Column } from '../components/data-table.tsx';
import type { TabLink } from '../components/tab-links.tsx';
import type { Listed } from '../shell/not-found-page.tsx';

/** What a form edits of one. */
export type DefinitionValues = {
  readonly name: string;
  /** Empty for the one that is made of the name. */
  readonly key: string;
  readonly destinationIds: readonly string[];
  readonly definition: unknown;
};

/** What audiences and computed traits do alike, each with its own words. */
export interface DefinitionKind extends Listed {
  /** Whom its size counts: `members`. */
  readonly members: string;
  /** What their list says of when they came to be in it. */
  readonly since: string;
  /** What its calls carry under the key, as an example. */
  readonly value: string;
  readonly new: '/audiences/new' | '/traits/new';
  readonly one: '/audiences/$id' | '/traits/$id';
  readonly edit: '/audiences/$id/edit' | '/traits/$id/edit';
  /** The definition, as a heading. */
  readonly title: string;
  readonly api: DefinitionsApi<unknown>;
}

/** What is shown of one of a kind. */
export interface OfKind {
  readonly kind: DefinitionKind;
  readonly of: Defined;
}

/** What the pages say of a kind. */
export interface ShownKind extends DefinitionKind {
  readonly icon: Icon;
  /** What they are. */
  readonly about: string;
  /** What a new user learns where there is none. */
  readonly example: ReactNode;
  /** Whom the size counts, as a column's head: `Members`. */
  readonly sizeOf: string;
  /** Of the page of one. The first says nothing of persons; the others are for those who may see that. */
  readonly tabs: (id: string) => readonly TabLink[];
  /** What stands beside each person. */
  readonly beside: (id: string) => Column<ListedMember>;
}
