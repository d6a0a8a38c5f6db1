import { randomId } from '@mantine/hooks';
import type { TestName } from '../../../server/src/admin/contract.ts';
import { DAYS, type Draft, newGroup, newScalar, type TestDraft } from './draft.ts';

/** A copy of a tree in which one condition is replaced by what `edit` returns: none, one or more conditions. */
export function edited(root: Draft, key: string, edit: (draft: Draft) => readonly Draft[]): readonly Draft[] {
  if (root.key === key) return edit(root);
  if (root.kind !== 'group') return [root];
  return [{ ...root, parts: root.parts.flatMap((part) => edited(part, key, edit)) }];
}

/** Makes one tree of the conditions that an edit left: a new group around several, an empty group for none. */
export function asTree(parts: readonly Draft[]): Draft {
  const [only, ...others] = parts;
  return only && others.length === 0 ? only : newGroup('all', parts);
}

/** A copy with new keys, to stand beside the original. */
export function copyOf(draft: Draft): Draft {
  const copy = { ...draft, key: randomId() };
  return copy.kind === 'group' ? { ...copy, parts: copy.parts.map(copyOf) } : copy;
}

/** Adds a condition at the end of the outermost group, which is made if there is none. */
export function withAdded(root: Draft, added: Draft): Draft {
  if (root.kind !== 'group' || root.negations > 0) return newGroup('all', [root, added]);
  return { ...root, parts: [...root.parts, added] };
}

/**
 * Moves a condition one place up or down in reading order: past the condition beside it, into the group beside it, or out
 * of its own group. So every place can be reached. Returns the same tree if there is no further place.
 */
export function moved(root: Draft, key: string, by: 1 | -1): Draft {
  const parent = parentOf(root, key);
  if (!parent) return root;
  const at = parent.parts.findIndex((part) => part.key === key);
  const [draft, beside] = [parent.parts[at], parent.parts[at + by]];
  if (!draft || (!beside && parent.key === root.key)) return root;
  const without = asTree(edited(root, key, () => []));
  const place = beside ?? parent;
  const edit = (other: Draft): readonly Draft[] => {
    if (beside && other.kind === 'group') {
      return [{ ...other, parts: by === 1 ? [draft, ...other.parts] : [...other.parts, draft] }];
    }
    return by === 1 ? [other, draft] : [draft, other];
  };
  return asTree(edited(without, place.key, edit));
}

export function canMove(root: Draft, key: string, by: 1 | -1): boolean {
  return moved(root, key, by) !== root;
}

/** Another test of the same value, with the values that were typed. */
export function retested({ values }: TestDraft, name: TestName, exists = true): TestDraft {
  const [value = newScalar()] = values;
  if (name === 'exists') return { name, values: [{ ...value, type: exists ? 'true' : 'false' }] };
  if (name === 'equals' || name === 'not' || name === 'in')
    return { name, values: [value, ...(name === 'in' ? values.slice(1) : [])] };
  const isDays = name === 'withinDays' && value.text === '';
  return { name, values: [{ ...value, type: 'text', ...(isDays && { text: DAYS }) }] };
}

function parentOf(root: Draft, key: string): (Draft & { readonly kind: 'group' }) | null {
  if (root.kind !== 'group') return null;
  if (root.parts.some((part) => part.key === key)) return root;
  for (const part of root.parts) {
    const found = parentOf(part, key);
    if (found) return found;
  }
  return null;
}
