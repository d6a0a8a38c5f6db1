import { Button, Card, Group, Stack, Stepper, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDidUpdate } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, type ReactElement, useId, useRef, useState } from 'react';
import { destinationsApi } from '../../api/destinations.ts';
import { problemFrom } from '../../api/problem.ts';
import { sourcesApi } from '../../api/sources.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { LeaveDialog } from '../../components/leave-dialog.tsx';
import { notifyDone, notifyDoubt } from '../../components/notify.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { newStandardSecret } from '../../components/secret-field.tsx';
import { applyProblem } from '../../forms/apply-problem.ts';
import { newDraft, webhooksOf } from '../../forms/webhook-draft.ts';
import { ForAdmins } from '../../shell/for-admins.tsx';
import { DestinationStep, InlineSource, SecretStep, SourcesStep, SwitchOnStep, UrlsStep } from './steps.tsx';
import {
  destinationOf,
  errorsOf,
  firstOpenStep,
  flawsOf,
  STEPS,
  stepFrom,
  stepOf,
  type WizardDraft,
} from './wizard-draft.ts';
import classes from './wizard-steps.module.css';

/** Sets up a destination. */
export function WizardPage(): ReactElement {
  return (
    <>
      <PageHeader
        back={<AnchorLink to="/catalog">Catalog</AnchorLink>}
        title="Set up Webhooks"
        description="Sends every call as a signed HTTP POST to up to five URLs."
      />
      <ForAdmins title="Only admins set up destinations">
        <Wizard />
      </ForAdmins>
    </>
  );
}

const route = getRouteApi('/shell/catalog/webhooks/new');

/**
 * The steps, each with its own address, so that back and forward move between them. The input lives as long as the page,
 * because its secret is stored nowhere else.
 */
function Wizard(): ReactElement {
  const { step: wanted, from } = route.useSearch();
  const navigate = route.useNavigate();
  const sources = useQueryClient().getQueryData(sourcesApi.list().queryKey);
  // The first run has asked for the sources, and created one just now.
  const only = from === 'first-run' && sources?.length === 1 ? sources : [];
  const form = useForm<WizardDraft>({
    initialValues: {
      name: '',
      sourceIds: only.map(({ id }) => id),
      settings: { webhooks: [newDraft()], sharedSecret: '', standardSecret: newStandardSecret() },
      enabled: true,
    },
  });
  const create = useMutation(destinationsApi.create());
  const check = useMutation(destinationsApi.checkUrl());
  const [refusal, setRefusal] = useState<unknown>(null);
  const done = useRef(false);
  const formId = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  const step = Math.min(stepFrom(wanted), firstOpenStep(form.values));
  const isLast = step === STEPS.length - 1;

  useDidUpdate(() => {
    // If a field of the step is wrong, that field already has the focus.
    if (!document.getElementById(formId)?.querySelector('[aria-invalid="true"]')) heading.current?.focus();
  }, [step]);

  const goTo = (place: number): void =>
    void navigate({ search: (before) => ({ ...before, step: STEPS[place]?.id ?? STEPS[0].id }) });

  const finish = (): void => {
    setRefusal(null);
    void create.mutateAsync(destinationOf(form.values)).then(
      ({ id, name, enabled }) => {
        done.current = true;
        notifyDone(`“${name}” is set up${enabled ? ' and switched on' : ''}.`);
        if (from === 'first-run') void navigate({ to: '/', replace: true });
        else void navigate({ to: '/destinations/$id', params: { id }, replace: true });
      },
      (error: unknown) => {
        setRefusal(applyProblem(form, error));
        const [blamed] = problemFrom(error).errors.map(({ path }) => stepOf(path));
        if (blamed !== undefined && blamed !== null) goTo(blamed);
      },
    );
  };

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const missing = errorsOf(form.values, step);
    form.setErrors(missing);
    if (Object.keys(missing).length > 0) return;
    if (isLast) finish();
    else if (STEPS[step]?.id === 'urls') void lookUp();
    else goTo(step + 1);
  };

  /** Shows at its field now what the service would refuse at the end. A name that does not resolve yet is only a warning. */
  const lookUp = async (): Promise<void> => {
    const { webhooks } = form.values.settings;
    setRefusal(null);
    try {
      const checks = await Promise.all(
        webhooksOf(webhooks).map((webhook) => check.mutateAsync({ ...webhook, connect: false })),
      );
      const refused = flawsOf(checks, webhooks, ({ canBeSaved }) => !canBeSaved);
      form.setErrors(refused);
      if (Object.keys(refused).length > 0) return;
      for (const message of Object.values(flawsOf(checks, webhooks, ({ ok }) => !ok))) notifyDoubt(message);
      goTo(step + 1);
    } catch (error) {
      setRefusal(error);
    }
  };

  return (
    <Stack gap="lg" maw={860}>
      <WizardSteps step={step} open={firstOpenStep(form.values)} onChoose={goTo} />
      <Card padding="lg">
        <Title ref={heading} tabIndex={-1} mb="md" style={{ outline: 'none' }}>
          {STEPS[step]?.label}
        </Title>
        <form id={formId} onSubmit={submit} noValidate>
          {STEPS[step]?.id === 'destination' && <DestinationStep form={form} />}
          {STEPS[step]?.id === 'sources' && <SourcesStep form={form} />}
          {STEPS[step]?.id === 'urls' && <UrlsStep form={form} />}
          {STEPS[step]?.id === 'secret' && <SecretStep form={form} />}
          {isLast && <SwitchOnStep form={form} onEdit={goTo} />}
        </form>
        {STEPS[step]?.id === 'sources' && <InlineSource form={form} />}
        {refusal !== null && <ErrorState error={refusal} />}
        <Group justify="space-between" mt="lg" gap="xs">
          <Button variant="default" disabled={step === 0} onClick={() => goTo(step - 1)}>
            Back
          </Button>
          <Button type="submit" form={formId} loading={create.isPending || create.isSuccess || check.isPending}>
            {!isLast ? 'Continue' : form.values.enabled ? 'Create and switch on' : 'Create'}
          </Button>
        </Group>
      </Card>
      <LeaveDialog when={() => !done.current && form.isDirty()} title="Leave without the destination?">
        What you entered is not saved, the shared secret too. A source that you created stays.
      </LeaveDialog>
    </Stack>
  );
}

interface WizardStepsProps {
  readonly step: number;
  /** Index of the last step that can be opened. */
  readonly open: number;
  readonly onChoose: (step: number) => void;
}

/** The progress through the steps. On a narrow screen only screen readers get the steps' names: the heading below shows the current one. */
function WizardSteps({ step, open, onChoose }: WizardStepsProps): ReactElement {
  return (
    <Stepper
      active={step}
      onStepClick={onChoose}
      size="sm"
      wrap={false}
      classNames={{ stepBody: classes['body'] ?? '', separator: classes['separator'] ?? '' }}
      role="group"
      aria-label="Steps"
    >
      {STEPS.map(({ id, label }, i) => (
        <Stepper.Step
          key={id}
          label={label}
          allowStepSelect={i <= open && i !== step}
          aria-current={i === step ? 'step' : undefined}
        />
      ))}
    </Stepper>
  );
}
