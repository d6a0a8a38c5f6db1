import { Text, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type ReactElement, useEffect, useRef, useState } from 'react';
import classes from './api-docs-page.module.css';
import { search, type Tag } from './openapi.ts';

interface OperationListProps {
  readonly tags: readonly Tag[];
  /** Id of the operation that is open. */
  readonly current: string | undefined;
}

/** All operations by what they are about; a search leaves those that hold its words. */
export function OperationList({ tags, current }: OperationListProps): ReactElement {
  const [query, setQuery] = useState('');
  const found = search(tags, query);
  const list = useRef<HTMLElement>(null);

  // A user who comes by a link sees where in the list it is. Only the list is scrolled.
  useEffect(() => {
    const link = list.current?.querySelector<HTMLElement>('[aria-current]');
    if (list.current && link) list.current.scrollTop = link.offsetTop - list.current.offsetTop - 80;
  }, []);

  return (
    <div className={classes['list']}>
      <TextInput
        type="search"
        aria-label="Search the operations"
        placeholder="Search"
        leftSection={<IconSearch size={16} aria-hidden />}
        value={query}
        onChange={({ currentTarget: { value } }) => setQuery(value)}
      />
      <nav ref={list} className={classes['operations']} aria-label="Operations">
        {found.map(({ name, operations }) => (
          <div key={name}>
            <Text size="xs" fw={600} c="dimmed" tt="uppercase" lts="0.02em" px={8}>
              {name}
            </Text>
            <ul>
              {operations.map(({ id, method, summary }) => (
                <li key={id}>
                  <Link
                    to="/api-docs"
                    search={{ operation: id }}
                    className={classes['operation'] ?? ''}
                    aria-current={id === current ? 'page' : undefined}
                    resetScroll={false}
                  >
                    <span className={classes['method']} data-method={method}>
                      {method}
                    </span>
                    {summary}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        ))}
        {found.length === 0 && (
          <Text c="dimmed" p="xs" role="status">
            No operation has these words.
          </Text>
        )}
      </nav>
    </div>
  );
}
