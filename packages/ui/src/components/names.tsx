import { Fragment, type ReactElement } from 'react';
import { place } from '../conditions/place.ts';

/** Names or ids in a row. One that changes the writing direction changes neither the next one nor the sentence around them. */
export function Names({ of }: { readonly of: readonly string[] }): ReactElement {
  return (
    <>
      {of.map((name, i) => (
        <Fragment key={place(i)}>
          {i > 0 && ', '}
          <bdi>{name}</bdi>
        </Fragment>
      ))}
    </>
  );
}
