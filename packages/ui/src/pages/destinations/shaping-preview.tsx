import { Button, Group, List, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { CallFilter, RoutingPreview } from '../../../../server/src/admin/contract.ts';
import { destinationsApi } from '../../api/destinations.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { TextDiff } from '../../components/text-diff.tsx';
import { prettyJson } from '../../format/json.ts';
import { count } from '../../format/number.ts';
import { reasonInWords } from '../../format/reasons.ts';
import { filterOf, type SettingsForm } from './settings-values.ts';

/** What the rules as they are typed would have made of the last day. */
export function ShapingPreview({ form }: { readonly form: SettingsForm }): ReactElement {
  const { mutate, data, error, isPending, variables } = useMutation(destinationsApi.preview());
  const { sourceIds, filter, trackFilter, redact, consent } = form.values;
  const rules = {
    sourceIds,
    filter: filter as CallFilter | null,
    redact,
    consent,
    trackFilter: filterOf(trackFilter),
  };
  // What was found holds for the rules that were asked about.
  const isOfThese = JSON.stringify(variables) === JSON.stringify(rules);
  const tryThem = (): void => {
    const checked = form.validate();
    if (!('hasErrors' in checked && checked.hasErrors)) mutate(rules);
  };
  return (
    <Stack gap="sm" component="section" aria-label="Preview" aria-live="polite">
      <Group gap="sm">
        <Button variant="default" size="xs" loading={isPending} onClick={tryThem}>
          Try it on the last day
        </Button>
        <Text c="dimmed">With the track filter. Nothing is saved or sent.</Text>
      </Group>
      {isOfThese && (error ? <ErrorState error={error} /> : data && <Previewed {...data} />)}
    </Stack>
  );
}

function Previewed({ looked, all, passed, filtered, samples }: RoutingPreview): ReactElement {
  return (
    <>
      <Text>
        <b>{count(passed)}</b> of{' '}
        {all ? `the ${count(looked)} calls of the last day` : `the newest ${count(looked)} calls`} would go out
        {filtered.length > 0 ? '. The others:' : '.'}
      </Text>
      {filtered.length > 0 && (
        <List size="sm">
          {filtered.map(({ reason, clause, count: times, sample }) => (
            <List.Item key={`${reason} ${clause}`}>
              <b>{count(times)}</b> {reasonInWords(reason)} {clause !== null && <code>{clause}</code>}{' '}
              <AnchorLink
                to="/messages/$messageId"
                params={{ messageId: sample.messageId }}
                search={{ source: sample.sourceId }}
                underline="always"
              >
                The newest
              </AnchorLink>
            </List.Item>
          ))}
        </List>
      )}
      {samples
        .filter(({ changed }) => changed.length > 0)
        .map(({ messageId, before, after }) => (
          <TextDiff
            key={messageId}
            label={`What of ${messageId} would change`}
            before={prettyJson(JSON.stringify(before))}
            after={prettyJson(JSON.stringify(after))}
          />
        ))}
    </>
  );
}
