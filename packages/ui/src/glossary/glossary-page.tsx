import { Card, Code, Text } from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import { Fragment, type ReactElement } from 'react';
import { PageHeader } from '../components/page-header.tsx';
import { placeOf } from './explained.ts';
import classes from './glossary.module.css';
import { TERMS } from './terms.ts';

/** All words, in alphabetical order. */
export function GlossaryPage(): ReactElement {
  const { hash } = useLocation();
  return (
    <>
      <PageHeader title="Glossary" description="The words of this interface and of the docs, by alphabet." />
      <Card component="section" aria-label="Words">
        <dl className={classes['list']}>
          {TERMS.map(({ word, means, see }) => (
            <Fragment key={word}>
              <dt id={placeOf(word)} data-chosen={placeOf(word) === hash || undefined}>
                {word}
              </dt>
              <dd>
                {means}{' '}
                <Text span variant="aside">
                  More in <Code>docs/{see}</Code>
                </Text>
              </dd>
            </Fragment>
          ))}
        </dl>
      </Card>
    </>
  );
}
