import { Group, Stack, Text } from '@mantine/core';
import { createContext, Fragment, type ReactElement, useContext } from 'react';
import { AddButton } from '../components/add-button.tsx';
import classes from './builder.module.css';
import { ConditionActions, NotToggle } from './condition-actions.tsx';
import { ConditionRow } from './condition-row.tsx';
import { type Draft, newCondition, newGroup } from './draft.ts';
import { useTree } from './fields-context.ts';
import { ProblemList } from './problem-list.tsx';
import { at, groupIn, inside, keyOf, numberOf, put, replaced, within, withKey } from './tree.ts';
import { WordSelect } from './word-fields.tsx';

interface ConditionBuilderProps {
  /** Makes the condition that is added. Default: a condition about a person. */
  readonly newLeaf?: () => Draft;
}

const NewLeaf = createContext<() => Draft>(newCondition);

/** A definition as sentences, edited in place. */
export function ConditionBuilder({ newLeaf = newCondition }: ConditionBuilderProps): ReactElement {
  const [root, change] = useTree();
  if (groupIn(inside(root).inner)) {
    return (
      <NewLeaf value={newLeaf}>
        <ConditionGroup path="" />
      </NewLeaf>
    );
  }
  const add = (): void => {
    const leaf = newLeaf();
    change(replaced(root, '', root, leaf), `${withKey(leaf)} select`);
  };
  return (
    <>
      <ConditionRow path="" />
      <AddButton mt="sm" data-act="add" onClick={add}>
        Add condition
      </AddButton>
    </>
  );
}

const WORDS = { all: 'all of these', any: 'any of these' } as const;

/** A group of conditions: all or any of them must hold. */
function ConditionGroup({ path }: { readonly path: string }): ReactElement | null {
  const [root, change] = useTree();
  const newLeaf = useContext(NewLeaf);
  const { inner, path: innerPath } = inside(at(root, path) as Draft, path);
  const group = groupIn(inner);
  if (!group) return null;
  const { of, parts } = group;
  const list = within(innerPath, of);
  const number = numberOf(path);
  const name = number === '' ? 'the whole' : `group ${number}`;
  const rejoin = (chosen: 'all' | 'any'): void =>
    change(put(root, innerPath, { ...newGroup(chosen, parts), key: inner.key }) as Draft);
  const add = (added: Draft): void => change(put(root, list, [...parts, added]) as Draft, `${withKey(added)} select`);
  return (
    <fieldset
      className={classes['group']}
      aria-label={number === '' ? 'Conditions' : `Group ${number}`}
      data-condition={inner.key}
    >
      <Group gap={6} mb={8} fz="sm">
        <NotToggle path={path} name={name} />
        <WordSelect label={`How ${name} is joined`} value={of} choices={WORDS} onChange={rejoin} />
        {number !== '' && <ConditionActions path={path} name={name} />}
        <ProblemList path={path} but={list} />
      </Group>
      <Stack gap={8}>
        {parts.map((part, i) => {
          const Part = groupIn(inside(part).inner) ? ConditionGroup : ConditionRow;
          return (
            <Fragment key={keyOf(part)}>
              {i > 0 && (
                <Text variant="aside" fw={600} tt="uppercase" ps={12}>
                  {of === 'all' ? 'and' : 'or'}
                </Text>
              )}
              <Part path={within(list, i)} />
            </Fragment>
          );
        })}
      </Stack>
      <Group gap="xs" mt={parts.length > 0 ? 'sm' : 0}>
        <AddButton data-act="add" onClick={() => add(newLeaf())}>
          Add condition
        </AddButton>
        <AddButton variant="subtle" onClick={() => add(newGroup(of === 'all' ? 'any' : 'all', [newLeaf()]))}>
          Add group
        </AddButton>
      </Group>
    </fieldset>
  );
}
