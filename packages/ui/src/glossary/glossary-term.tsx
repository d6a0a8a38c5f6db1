import { Popover, Text } from '@mantine/core';
import { type ReactElement, type ReactNode, Suspense } from 'react';
import { AnchorLink } from '../components/anchor-link.tsx';
import { lazyPart } from '../lazy.ts';
import { placeOf, type TermName } from './explained.ts';
import classes from './glossary.module.css';

const TermMeaning = lazyPart(async () => (await import('./term-meaning.tsx')).TermMeaning);

interface GlossaryTermProps {
  readonly name: TermName;
  /** The form of the word in the text. */
  readonly children: ReactNode;
}

/** A word in a text; pressing it shows its meaning. */
export function GlossaryTerm({ name, children }: GlossaryTermProps): ReactElement {
  return (
    <Popover width={280} position="bottom-start" shadow="md" withRoles trapFocus returnFocus>
      <Popover.Target>
        <button type="button" className={classes['word']}>
          {children}
        </button>
      </Popover.Target>
      <Popover.Dropdown>
        <Text component="div">
          <Suspense>
            <TermMeaning name={name} />
          </Suspense>{' '}
          <AnchorLink to="/glossary" hash={placeOf(name)} inherit>
            Glossary
          </AnchorLink>
        </Text>
      </Popover.Dropdown>
    </Popover>
  );
}
