import type { AnchorProps } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { type ThingKind, toThing } from '../shell/things.ts';
import { AnchorLink } from './anchor-link.tsx';

interface ThingLinkProps extends Pick<AnchorProps, 'c' | 'fw' | 'inherit' | 'size' | 'td' | 'underline'> {
  readonly kind: ThingKind;
  readonly id: string;
  readonly name: ReactNode;
}

/** A link to the page of a source, a destination, a person…, by its id. */
export function ThingLink({ kind, id, name, ...look }: ThingLinkProps): ReactElement {
  return (
    <AnchorLink {...look} {...toThing(kind, id)}>
      {name}
    </AnchorLink>
  );
}
