import { Button, Group, Input, List, SegmentedControl, Select, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { CallFilter, RoutingPreview } from '../../../../server/src/admin/contract.ts';
import { destinationsApi } from '../../api/destinations.ts';
import { AddButton } from '../../components/add-button.tsx';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { choices } from '../../components/choices.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { IconButton } from '../../components/icon-button.tsx';
import { TextDiff } from '../../components/text-diff.tsx';
import { ConditionBuilder } from '../../conditions/condition-builder.tsx';
import { DefinitionEditor } from '../../conditions/definition-editor.tsx';
import { newField, newGroup } from '../../conditions/draft.ts';
import { place } from '../../conditions/place.ts';
import { problemsOf } from '../../conditions/problems.ts';
import { readCondition } from '../../conditions/read.ts';
import { written } from '../../conditions/written.ts';
import { prettyJson } from '../../format/json.ts';
import { count } from '../../format/number.ts';
import { reasonInWords } from '../../format/reasons.ts';
import { SectionCard } from '../../forms/section-card.tsx';
import { useMayChange } from '../../shell/session.ts';
import { toMessage } from '../../shell/things.ts';
import { filterOf, type SettingsForm } from './settings-values.ts';

interface ShapingFieldsProps {
  readonly form: SettingsForm;
}

/** Which calls are sent, by their content, and with which fields. The rules can be tried on the last day before they are saved. */
export function ShapingFields({ form }: ShapingFieldsProps): ReactElement {
  return (
    <SectionCard
      title="Which calls, and what of them"
      description="By what is in a call. What is left out is recorded as filtered, with the clause. What Millrace keeps is not changed."
    >
      <CallFilterField form={form} />
      <TagsInput
        label="Consent"
        description="A call goes out when its context.consent.categoryPreferences has true for each of these categories. A call that names none of them is left out."
        placeholder={form.values.consent.length === 0 ? 'advertising' : ''}
        splitChars={[',']}
        maxTags={20}
        {...form.getInputProps('consent')}
      />
      <RedactionFields form={form} />
      {useMayChange() && <ShapingPreview form={form} />}
    </SectionCard>
  );
}

const WAYS = choices({ drop: 'left out', mask: 'masked as ***', hash: 'hashed' });

/** Fields that are changed or removed before sending. */
function RedactionFields({ form }: ShapingFieldsProps): ReactElement {
  const { redact } = form.values;
  return (
    <Input.Wrapper
      label="Fields"
      labelElement="div"
      description="Names joined by dots, like traits.email; * stands for each element of a list, or each key of an object. A hash is by a key of this destination, which is never shown and stays the same."
    >
      <Stack gap="xs" mt="xs" align="flex-start">
        {redact.map((_, i) => (
          <Group key={place(i)} gap="xs" align="flex-start" w="100%">
            <TextInput
              flex="5 1 220px"
              miw={0}
              aria-label={`Field ${i + 1}`}
              placeholder="traits.email"
              {...form.getInputProps(`redact.${i}.path`)}
            />
            <Select
              flex="1 1 140px"
              miw={0}
              aria-label={`What becomes of field ${i + 1}`}
              data={WAYS}
              allowDeselect={false}
              {...form.getInputProps(`redact.${i}.do`)}
            />
            <IconButton
              variant="default"
              size={36}
              icon={IconX}
              label={`Remove field ${i + 1}`}
              onClick={() => form.removeListItem('redact', i)}
            />
          </Group>
        ))}
        <AddButton onClick={() => form.insertListItem('redact', { path: '', do: 'drop' })}>Add field</AddButton>
      </Stack>
    </Input.Wrapper>
  );
}

/** What the current rules would have done with the events of the last day. */
function ShapingPreview({ form }: ShapingFieldsProps): ReactElement {
  const { mutate, data, error, isPending, variables } = useMutation(destinationsApi.preview());
  const { sourceIds, filter, trackFilter, redact, consent } = form.values;
  const rules = {
    sourceIds,
    filter: written(filter) as CallFilter | null,
    redact,
    consent,
    trackFilter: filterOf(trackFilter),
  };
  // The last result is valid only for the rules that it was requested for.
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
              <AnchorLink {...toMessage(sample)} underline="always">
                The newest
              </AnchorLink>
            </List.Item>
          ))}
        </List>
      )}
      {samples
        .filter(({ changed }) => changed.length > 0)
        .map(({ position, messageId, before, after }) => (
          <TextDiff
            key={position}
            label={`What of ${messageId} would change`}
            before={prettyJson(JSON.stringify(before))}
            after={prettyJson(JSON.stringify(after))}
          />
        ))}
    </>
  );
}

/** The condition for calls, as sentences or as JSON. */
function CallFilterField({ form }: ShapingFieldsProps): ReactElement {
  const { filter } = form.values;
  const set = (value: unknown): void => form.setFieldValue('filter', value);
  return (
    <Input.Wrapper
      label="Filter"
      labelElement="div"
      description="What is asked of a call, in the language of audiences. Notices of deletion always go out."
    >
      <SegmentedControl
        mt="xs"
        mb="sm"
        fullWidth
        aria-label="Which calls go out, by their fields"
        data={choices({ all: 'All calls', some: 'Only those that fit' })}
        value={filter === null ? 'all' : 'some'}
        onChange={(mode) => set(mode === 'all' ? null : newGroup('all', [newField()]))}
      />
      {filter !== null && (
        <div>
          <DefinitionEditor
            value={filter}
            onChange={set}
            read={readCondition}
            problems={problemsOf('filter', [], { errors: form.errors })}
            edited={null}
          >
            <ConditionBuilder newLeaf={newField} />
          </DefinitionEditor>
        </div>
      )}
    </Input.Wrapper>
  );
}
