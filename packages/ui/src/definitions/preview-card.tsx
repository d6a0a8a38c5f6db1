import { Card, Group, Loader, Text, Title } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { problemFrom } from '../api/problem.ts';
import { ErrorState } from '../components/error-state.tsx';
import { isWithin } from '../forms/apply-problem.ts';
import classes from './preview-card.module.css';
import type { LivePreview } from './use-live-preview.ts';

export interface PreviewProps<Preview> {
  readonly live: LivePreview<Preview>;
  /** Something is still to be filled in: what there would be is not known. */
  readonly hasGaps: boolean;
}

interface PreviewCardProps<Preview> extends PreviewProps<Preview> {
  readonly title: string;
  readonly children: (preview: Preview) => ReactNode;
}

/** What a definition gives as it is now. The last figures stay, dimmed, while the next are on their way. */
export function PreviewCard<Preview>({ title, live, hasGaps, children }: PreviewCardProps<Preview>): ReactElement {
  const { preview, isCounting, error } = live;
  const isOld = isCounting || hasGaps || error !== null;
  return (
    <Card component="section" aria-label={title} aria-busy={isCounting}>
      <Group justify="space-between" mb="xs" h={24}>
        <Title>{title}</Title>
        {isCounting && <Loader size="xs" aria-hidden />}
      </Group>
      {hasGaps && (
        <Text c="dimmed" mb={preview ? 'sm' : 0}>
          Fill in what is missing to see what it gives.
        </Text>
      )}
      {!hasGaps && error !== null && <Refused error={error} />}
      {preview !== undefined && (
        <div className={classes['figures']} data-old={isOld || undefined}>
          {children(preview)}
        </div>
      )}
    </Card>
  );
}

function Refused({ error }: { readonly error: unknown }): ReactElement {
  const { errors } = problemFrom(error);
  if (errors.length === 0 || !errors.every(({ path }) => isWithin(path, 'definition')))
    return <ErrorState error={error} />;
  return (
    <Text c="var(--millrace-bad)" role="status" mb="sm">
      {errors.length === 1 ? 'One thing is' : `${errors.length} things are`} wrong: see the marked place.
    </Text>
  );
}
