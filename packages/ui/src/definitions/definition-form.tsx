import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactElement, type ReactNode, useRef, useState } from 'react';
import type { DefinitionsApi } from '../api/definitions.ts';
import { ErrorState } from '../components/error-state.tsx';
import { LeaveDialog } from '../components/leave-dialog.tsx';
import { notifyDone } from '../components/notify.ts';
import { DefinitionEditor } from '../conditions/definition-editor.tsx';
import { type Codec, useDefinitionEditor } from '../conditions/use-definition-editor.ts';
import { useProblems } from '../conditions/use-problems.ts';
import { ConflictNote } from '../forms/conflict-note.tsx';
import { SectionCard } from '../forms/section-card.tsx';
import { type Fields, useEdit } from '../forms/use-edit.ts';
import { BasicsFields } from './basics-fields.tsx';
import classes from './definition-form.module.css';
import { DestinationsField } from './destinations-field.tsx';
import type { Defined, DefinitionKind } from './kinds.ts';
import type { PreviewProps } from './preview-card.tsx';
import { type Basics, useBasics } from './use-basics.ts';
import { useLivePreview } from './use-live-preview.ts';

/** What the form must know of the kind that it edits. */
export interface EditedKind<Thing extends Defined, Draft, Preview> extends DefinitionKind {
  readonly api: DefinitionsApi<Thing, Preview>;
  readonly codec: Codec<Draft>;
  /** What is done on the page that makes one. */
  readonly aboutNew: string;
  /** What a new definition begins with. */
  readonly blank: () => Draft;
  /** What the definition gives, beside it. */
  readonly Preview: (props: PreviewProps<Preview>) => ReactNode;
  /** The draft as sentences. */
  readonly Builder: (props: { readonly draft: Draft; readonly onChange: (draft: Draft) => void }) => ReactNode;
}

interface DefinitionFormProps<Thing extends Defined, Draft, Preview> {
  readonly kind: EditedKind<Thing, Draft, Preview>;
  /** Null for a new one. */
  readonly existing: Thing | null;
}

/** Makes an audience or a computed trait, or changes one: its name, its definition with what that gives, its destinations. */
export function DefinitionForm<Thing extends Defined, Draft, Preview extends { key: string | null }>({
  kind,
  existing,
}: DefinitionFormProps<Thing, Draft, Preview>): ReactElement {
  const { api, codec, blank, Preview: PreviewOf, Builder } = kind;
  const navigate = useNavigate();
  const client = useQueryClient();
  const create = useMutation(api.create());
  const update = useMutation(api.update());
  const open = ({ id }: Pick<Defined, 'id'>): void => void navigate({ to: kind.one, params: { id } });
  const editor = useDefinitionEditor(() => (existing && codec.read(existing.definition)) ?? blank(), codec);
  const { definition, gaps } = editor;
  // No JSON has no text.
  const text = JSON.stringify(definition) ?? '';
  const [before] = useState(text);
  const basics = useBasics(existing, text);
  const [named, setNamed] = useState(existing?.name ?? '');
  const [attempts, setAttempts] = useState(0);
  const busy = create.isPending;
  const isDone = useRef(false);
  const isComplete = gaps.length === 0 && definition !== undefined;
  const live = useLivePreview(kind.noun, isComplete ? { definition, name: named } : null, api.preview);
  const problems = useProblems(gaps, { withBlanks: attempts > 0, refusals: [basics.refusedDefinition ?? live.error] });

  const done = (saved: Defined): void => {
    isDone.current = true;
    notifyDone(`“${saved.name}” is saved.`);
    open(saved);
  };
  const { name, destinationIds } = basics.form.values;
  const edit = useEdit<Pick<Defined, 'id' | 'revision'> & Partial<Defined>>({
    thing: existing ?? NONE,
    read: (id) => client.fetchQuery({ ...api.one(id), staleTime: 0 }),
    update: update.mutateAsync,
    fieldsOf: (of) => fieldsOf(of, codec),
    mineOver: () => ({ name: name.trim(), destinationIds, definition }),
    show: (now, kept) => {
      const { name: called = '', destinationIds: told = [] } = now;
      if (!kept.has('name')) basics.form.setFieldValue('name', called);
      if (!kept.has('destinationIds')) basics.form.setFieldValue('destinationIds', told);
      if (!kept.has('definition')) editor.replace(now.definition);
    },
    onSaved: (saved) => done(saved as Defined),
    onRefused: (error) => refused(error),
  });

  // What must be filled in or mended before it can be saved is marked then.
  const tried = (): void => setAttempts((before) => before + 1);
  const refused = (error: unknown): void => {
    basics.refuse(error);
    tried();
  };

  const submit = (values: Basics): void => {
    basics.forget();
    if (!isComplete) {
      tried();
      return;
    }
    if (existing) {
      edit.save();
      return;
    }
    const { destinationIds, key } = values;
    const own = key.trim() !== '' && { key: key.trim() };
    create.mutate(
      { name: values.name.trim(), destinationIds, definition, ...own },
      { onSuccess: done, onError: refused },
    );
  };

  return (
    <form className={classes['columns']} onSubmit={basics.form.onSubmit(submit, tried)} noValidate>
      <Stack gap="md" miw={0}>
        <BasicsFields
          form={basics.form}
          existing={existing}
          proposedKey={live.preview?.key ?? null}
          value={kind.value}
          onNamed={setNamed}
        />
        <SectionCard title={kind.title}>
          <div>
            <DefinitionEditor editor={editor} problems={problems} edited={existing?.id ?? null}>
              {(draft) => <Builder draft={draft} onChange={editor.edit} />}
            </DefinitionEditor>
          </div>
          {existing && (
            <Text c="dimmed">
              After a change of the definition all persons are checked again. Only differences are sent.
            </Text>
          )}
        </SectionCard>
        <DestinationsField form={basics.form} />
        <ConflictNote {...edit} />
        {attempts > 0 && <MarkedNote key={attempts} marked={problems.size + Object.keys(basics.form.errors).length} />}
        {basics.refusal !== null && <ErrorState error={basics.refusal} />}
        <Group gap="xs">
          <Button type="submit" loading={busy || edit.busy} disabled={edit.conflict !== null}>
            {existing ? 'Save' : 'Create'} {kind.noun}
          </Button>
          <Button
            variant="default"
            onClick={() => (existing ? open(existing) : void navigate({ to: kind.list }))}
            disabled={busy || edit.busy}
          >
            Cancel
          </Button>
        </Group>
      </Stack>
      <div className={classes['aside']}>
        <PreviewOf live={live} hasGaps={!isComplete} />
      </div>
      <LeaveDialog
        when={() => !isDone.current && (existing ? edit.dirty : text !== before || basics.form.isDirty())}
        title={`Leave the ${kind.noun}?`}
      />
    </form>
  );
}

/** Says, once for each attempt to save, how much is marked. */
function MarkedNote({ marked }: { readonly marked: number }): ReactElement | null {
  if (marked === 0) return null;
  return (
    <Text c="var(--millrace-bad)" role="alert">
      Not saved. {marked === 1 ? 'One field is' : `${marked} fields are`} marked: correct {marked === 1 ? 'it' : 'them'}
      , then save again.
    </Text>
  );
}

/** In the place of a thing that is not made yet. */
const NONE = { id: '', revision: 0 };

/** The definition as the editor writes it: an equal one is the same text. */
function fieldsOf<Draft>(
  { name = '', destinationIds = [], definition }: Partial<Defined>,
  codec: Codec<Draft>,
): Fields {
  const draft = codec.read(definition);
  return { name, destinationIds, definition: draft === null ? definition : codec.write(draft).definition };
}
