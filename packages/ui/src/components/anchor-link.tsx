import { Anchor, type AnchorProps } from '@mantine/core';
import { createLink, type LinkComponent } from '@tanstack/react-router';
import type { ReactElement, Ref } from 'react';

interface PlainAnchorProps extends Omit<AnchorProps, 'href'> {
  readonly ref?: Ref<HTMLAnchorElement>;
}

function PlainAnchor(props: PlainAnchorProps): ReactElement {
  return <Anchor {...props} />;
}

/** A link to a page. The compiler checks the page's parameters and filters. */
export const AnchorLink: LinkComponent<typeof PlainAnchor> = createLink(PlainAnchor);
