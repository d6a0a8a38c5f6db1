import { Button, Code, Group, MultiSelect, Stack, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactElement, type ReactNode, useRef, useState } from 'react';
import type { Defined, DefinitionsApi } from '../api/definitions.ts';
import { destinationsApi } from '../api/destinations.ts';
import { suggestionsApi } from '../api/suggestions.ts';
import { ErrorState } from '../components/error-state.tsx';
import { LeaveDialog } from '../components/leave-dialog.tsx';
import { notifyDone } from '../components/notify.ts';
import { DefinitionEditor, valueFor } from '../conditions/definition-editor.tsx';
import { problemsOf } from '../conditions/problems.ts';
import { type Gap, looked, written } from '../conditions/written.ts';
import { isWithin } from '../forms/apply-problem.ts';
import classes from '../forms/columns.module.css';
import { ConflictNote } from '../forms/conflict-note.tsx';
import { SectionCard } from '../forms/section-card.tsx';
import { useEditForm } from '../forms/use-edit-form.ts';
import { useSubmit } from '../forms/use-submit.ts';
import type { DefinitionKind } from './kinds.tsx';
import { type PreviewProps, useLivePreview } from './preview-card.tsx';

/** What the form needs for the kind of definition that it edits. */
export interface EditedKind<Preview> {
  readonly kind: DefinitionKind;
  readonly api: DefinitionsApi<Preview>;
  /** The draft of a definition; null if sentences can't express it. */
  readonly read: (definition: unknown) => object | null;
  /** The draft of a new definition. */
  readonly blank: () => object;
  /** Shows what the definition gives, beside the form. */
  readonly Preview: (props: PreviewProps<Preview>) => ReactNode;
  /** Edits the draft as sentences. */
  readonly Builder: (props: object) => ReactNode;
}

/** The values of the form. */
type DefinitionValues = {
  readonly name: string;
  /** Empty: the service makes the key from the name. */
  readonly key: string;
  readonly destinationIds: readonly string[];
  /** As `DefinitionEditor` takes it. */
  readonly definition: unknown;
};

interface DefinitionFormProps<Preview> extends EditedKind<Preview> {
  /** Null for a new definition. */
  readonly existing: Defined | null;
}

/** Creates or changes an audience or a computed trait: its name, its definition with a preview, its destinations. */
export function DefinitionForm<Preview extends { key: string | null }>(
  props: DefinitionFormProps<Preview>,
): ReactElement {
  const { kind, existing, api, read, blank, Preview: PreviewOf, Builder } = props;
  const navigate = useNavigate();
  const open = ({ id }: Pick<Defined, 'id'>): Promise<void> => navigate({ to: `${kind.list}/$id`, params: { id } });
  const [named, setNamed] = useState(existing?.name ?? '');
  const [attempts, setAttempts] = useState(0);
  const isDone = useRef(false);
  const done = async (saved: Defined): Promise<void> => {
    isDone.current = true;
    notifyDone(`“${saved.name}” is saved.`);
    await open(saved);
  };
  const edit = useEditForm<EditedDefinition, DefinitionValues, Defined>({
    thing: existing ?? NONE,
    api,
    valuesOf: ({ name, key, destinationIds, definition: of }) => {
      return { name, key, destinationIds, definition: existing ? valueFor(of, read) : blank() };
    },
    fieldsOf: ({ name, destinationIds, definition: of }) => {
      return { name: name.trim(), destinationIds, definition: written(of) };
    },
    validate: ({ name }) => (name.trim() === '' ? { name: 'Give it a name' } : {}),
    whole: WHOLE,
    onSaved: (saved) => void done(saved),
  });
  const { form } = edit;
  const create = useSubmit(form, api.create(), WHOLE);
  const busy = create.busy || edit.busy;
  const refused = edit.refusal ?? create.refusal;
  const definition = written(form.values.definition);
  const { gaps } = looked(form.values.definition);
  const hindrance = form.values.definition === '' ? 'Correct the JSON' : hindranceIn(gaps);
  const isComplete = hindrance === null;
  const live = useLivePreview(kind.noun, isComplete ? { definition, name: named } : null, api.preview);
  const refusal = isComplete ? refused : null;
  const isMarked = attempts > 0 || Object.keys(form.errors).length > 0;
  // Blank fields are marked only after the user has tried to save.
  const told = attempts > 0 ? gaps : gaps.filter(({ isBlank }) => !isBlank);
  const problems = problemsOf('definition', told, { errors: form.errors, refusal: live.error });
  const elsewhere = Object.keys(form.errors).filter((path) => !isWithin(path, 'definition'));

  const tried = (): void => setAttempts((before) => before + 1);
  const submit = ({ name, key, destinationIds }: DefinitionValues): void => {
    if (!isComplete) {
      tried();
      return;
    }
    if (existing) {
      edit.save();
      return;
    }
    const own = key.trim() !== '' && { key: key.trim() };
    create.send({ name: name.trim(), destinationIds, definition, ...own }, done);
  };

  return (
    <form className={classes['columns']} onSubmit={form.onSubmit(submit, tried)} noValidate>
      <Stack gap="md" miw={0}>
        <BasicsFields
          form={form}
          existing={existing}
          proposedKey={live.preview?.key ?? null}
          value={kind.value}
          onNamed={setNamed}
        />
        <SectionCard title={kind.title}>
          <div>
            <DefinitionEditor
              value={form.values.definition}
              onChange={(value) => form.setFieldValue('definition', value)}
              read={read}
              problems={problems}
              edited={existing?.id ?? null}
            >
              <Builder />
            </DefinitionEditor>
          </div>
          {existing && (
            <Text c="dimmed">
              After a change of the definition all persons are checked again. Only differences are sent.
            </Text>
          )}
        </SectionCard>
        <DestinationsField form={form} />
        <ConflictNote {...edit} />
        {isMarked && <MarkedNote key={attempts} marked={problems.size + elsewhere.length} />}
        {refusal !== null && <ErrorState error={refusal} />}
        <Group gap="xs">
          <Button type="submit" loading={busy} disabled={edit.conflict !== null}>
            {existing ? 'Save' : 'Create'} {kind.noun}
          </Button>
          <Button
            variant="default"
            onClick={() => void (existing ? open(existing) : navigate({ to: kind.list }))}
            disabled={busy}
          >
            Cancel
          </Button>
        </Group>
      </Stack>
      <div className={classes['aside']} data-first>
        <PreviewOf live={live} hindrance={hindrance} />
      </div>
      <LeaveDialog
        when={() => !isDone.current && (edit.dirty || form.isDirty('key'))}
        title={`Leave the ${kind.noun}?`}
      />
    </form>
  );
}

function hindranceIn(gaps: readonly Gap[]): string | null {
  if (gaps.length === 0) return null;
  return gaps.every(({ isBlank }) => isBlank) ? 'Fill in what is missing' : 'Correct what is marked';
}

/** Says how many fields are marked, once for each attempt to save. */
function MarkedNote({ marked }: { readonly marked: number }): ReactElement | null {
  if (marked === 0) return null;
  return (
    <Text c="var(--millrace-bad)" role="alert">
      Not saved. {marked === 1 ? 'One field is' : `${marked} fields are`} marked: correct {marked === 1 ? 'it' : 'them'}
      , then save again.
    </Text>
  );
}

/** The part of a definition that the form needs, new or existing. */
type EditedDefinition = DefinitionValues & Pick<Defined, 'id' | 'revision'>;

/** Stands in for a definition that does not exist yet. */
const NONE = { id: '', revision: 0, name: '', key: '', destinationIds: [], definition: null };

/** Fields whose editor shows the errors of all paths below them. */
const WHOLE = ['definition'];

interface BasicsFieldsProps {
  readonly form: UseFormReturnType<DefinitionValues>;
  readonly existing: Defined | null;
  /** The key that the service would make from the name; null while it is not known. */
  readonly proposedKey: string | null;
  /** Called when the name changes. */
  readonly onNamed: (name: string) => void;
  /** What a call carries as the value of the key: `true or false`. */
  readonly value: string;
}

/** The fields of the name and the key. */
function BasicsFields({ form, existing, proposedKey, onNamed, value }: BasicsFieldsProps): ReactElement {
  const name = form.getInputProps('name');
  const [isOwnKey, setOwnKey] = useState(existing !== null);
  const key = (isOwnKey && form.values.key) || proposedKey;
  const { data: traits } = useQuery(suggestionsApi.of(existing ? null : { of: 'trait' }));
  const isSent = traits?.items.some(({ value: seen }) => seen === key) === true;
  return (
    <SectionCard title="Name">
      <TextInput
        label="Name"
        required
        maxLength={200}
        {...name}
        onBlur={(event) => {
          name.onBlur(event);
          onNamed(event.currentTarget.value);
        }}
      />
      <TextInput
        label="Key"
        description={
          existing ? (
            'The trait that its calls carry. Receivers know it by this, so it stays.'
          ) : (
            <>
              The trait that its calls carry{key ? ': ' : ''}
              {key ? <Code>{`{"${key}": ${value}}`}</Code> : ''}. It is made of the name unless you write one, and can’t
              be changed later.
            </>
          )
        }
        placeholder="Made of the name"
        readOnly={existing !== null}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.8125rem' } }}
        {...form.getInputProps('key')}
        // Until the user types a key, the field shows the key that the service would make.
        {...(!isOwnKey && { value: proposedKey ?? '' })}
        onChange={(event) => {
          setOwnKey(true);
          form.setFieldValue('key', event.currentTarget.value);
        }}
        onBlur={() => setOwnKey(existing !== null || form.values.key !== '')}
      />
      {isSent && (
        <Text variant="aside" c="var(--millrace-warn)" role="status">
          Your calls send a trait {key} already: destinations would get both under one name.
        </Text>
      )}
    </SectionCard>
  );
}

/** The destinations of its calls. */
function DestinationsField({ form }: { readonly form: UseFormReturnType<DefinitionValues> }): ReactElement {
  const { data: destinations = [] } = useQuery(destinationsApi.list());
  const isNone = form.values.destinationIds.length === 0;
  return (
    <SectionCard title="Destinations">
      <MultiSelect
        label="Its calls go to"
        description="Identify calls, signed and retried like any other. A destination that is connected from the start misses none."
        placeholder={isNone ? 'None: the calls go nowhere' : ''}
        data={destinations.map(({ id, name, enabled }) => ({ value: id, label: enabled ? name : `${name} (off)` }))}
        searchable
        nothingFoundMessage="No destination has this name"
        {...form.getInputProps('destinationIds')}
      />
    </SectionCard>
  );
}
