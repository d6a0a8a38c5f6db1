import { Card, Group, Loader, Text, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import type { ToPreview } from '../api/definitions.ts';
import { peopleApi } from '../api/people.ts';
import { problemFrom } from '../api/problem.ts';
import { ErrorState } from '../components/error-state.tsx';
import { isWithin } from '../forms/apply-problem.ts';

export interface PreviewProps<Preview> {
  readonly live: LivePreview<Preview>;
  /** What keeps the definition from having a result; null if nothing does. */
  readonly hindrance: string | null;
}

interface PreviewCardProps<Preview> extends PreviewProps<Preview> {
  readonly title: string;
  readonly children: (preview: Preview) => ReactNode;
}

/** The style of outdated figures: paler, but easy to read. */
const OLD = { color: 'var(--mantine-color-dimmed)', filter: 'grayscale(1)' };

/** The result of the definition while it is edited. The last figures stay, dimmed, until the next ones come. */
export function PreviewCard<Preview>({ title, live, hindrance, children }: PreviewCardProps<Preview>): ReactElement {
  const { preview, isCounting, error, retry } = live;
  const { data: status } = useQuery(peopleApi.status());
  const isOld = isCounting || hindrance !== null || error !== null;
  return (
    <Card component="section" aria-label={title} aria-busy={isCounting}>
      <Group justify="space-between" mb="xs" h={24}>
        <Title>{title}</Title>
        {isCounting && <Loader size="xs" aria-hidden />}
      </Group>
      {hindrance !== null && (
        <Text c="dimmed" mb={preview ? 'sm' : 0}>
          {hindrance} to see what it gives.{preview && ' The figures are of the definition before.'}
        </Text>
      )}
      {hindrance === null && error !== null && <Refused error={error} onRetry={retry} />}
      {preview !== undefined && status?.rebuilding != null && (
        <Text c="dimmed" mb="sm">
          Profiles are being rebuilt: only what is read of the log so far counts.
        </Text>
      )}
      {preview !== undefined && <div style={isOld ? OLD : {}}>{children(preview)}</div>}
    </Card>
  );
}

function Refused({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }): ReactElement {
  const { errors } = problemFrom(error);
  if (errors.length === 0 || !errors.every(({ path }) => isWithin(path, 'definition')))
    return <ErrorState error={error} onRetry={onRetry} />;
  return (
    <Text c="var(--millrace-bad)" role="status" mb="sm">
      {errors.length === 1 ? 'One thing is' : `${errors.length} things are`} wrong: see the marked place.
    </Text>
  );
}

/** Milliseconds without typing before a preview is requested: enough to type a word, and still quick. */
const PAUSE = 350;

export interface LivePreview<Preview> {
  /** The newest preview. While `isCounting`, it is of an earlier definition. */
  readonly preview: Preview | undefined;
  readonly isCounting: boolean;
  /** The error for the current definition. */
  readonly error: unknown;
  readonly retry: () => void;
}

/**
 * The result of a definition while it is edited. Requested after a pause in typing; the request before is aborted.
 *
 * @param of the kind of definition.
 * @param body null while it has gaps.
 */
export function useLivePreview<Preview>(
  of: string,
  body: ToPreview | null,
  ask: (body: ToPreview, signal: AbortSignal) => Promise<Preview>,
): LivePreview<Preview> {
  const text = JSON.stringify(body);
  const [paused] = useDebouncedValue(text, PAUSE);
  const asked = JSON.parse(paused) as ToPreview | null;
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['preview', of, asked],
    queryFn: asked === null ? skipToken : ({ signal }) => ask(asked, signal),
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 0,
  });
  const isBehind = paused !== text;
  return {
    preview: data,
    isCounting: body !== null && (isBehind || isFetching),
    error: isBehind || body === null ? null : error,
    retry: () => void refetch(),
  };
}
