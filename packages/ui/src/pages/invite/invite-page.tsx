import { Button, Skeleton, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactElement, useEffect, useState } from 'react';
import { problemFrom } from '../../api/problem.ts';
import { sessionApi } from '../../api/session.ts';
import { ButtonLink } from '../../components/button-link.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { useSubmit } from '../../forms/use-submit.ts';
import { Entrance } from '../../shell/entrance.tsx';

/** The page of an invite's link: choose a name and a password. The secret follows `#`, so it is not sent to a server. */
export function InvitePage(): ReactElement {
  const [secret] = useState(() => window.location.hash.slice(1));
  const {
    data: invite,
    error,
    refetch,
  } = useQuery({ ...sessionApi.invite(secret), staleTime: Number.POSITIVE_INFINITY });
  useEffect(() => history.replaceState(history.state, '', window.location.pathname), []);

  if (error && !invite) {
    // The page removes the secret from the address once it has read it. A link without the secret is invalid.
    const isGone = secret === '' || problemFrom(error).status === 404;
    return (
      <Entrance
        title={isGone ? "This invite can't be used" : 'The invite could not be looked up'}
        description={
          isGone && 'It was used, taken back, or is older than 7 days; or the link is not whole: open it once more.'
        }
      >
        <Stack gap="md">
          {!isGone && <ErrorState error={error} onRetry={() => void refetch()} />}
          <ButtonLink to="/sign-in" variant="default">
            To the sign-in
          </ButtonLink>
        </Stack>
      </Entrance>
    );
  }
  return (
    <Entrance title="You are invited" description={invite && `To look after this service as ${invite.role}.`}>
      {invite ? <AcceptForm secret={secret} email={invite.email} /> : <Skeleton height={220} />}
    </Entrance>
  );
}

interface AcceptFormProps {
  readonly secret: string;
  readonly email: string;
}

function AcceptForm({ secret, email }: AcceptFormProps): ReactElement {
  const form = useForm({ initialValues: { name: '', password: '' } });
  const { busy, refusal, send } = useSubmit(form, sessionApi.acceptInvite());
  const queryClient = useQueryClient();
  const navigate = useNavigate();

  const submit = form.onSubmit((values) =>
    send({ secret, ...values }, (session) => {
      queryClient.clear();
      queryClient.setQueryData(sessionApi.current().queryKey, session);
      return navigate({ to: '/' });
    }),
  );

  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput label="E-mail" value={email} readOnly autoComplete="username" />
        <TextInput label="Your name" required autoComplete="name" {...form.getInputProps('name')} />
        <PasswordField
          label="Password"
          description="12 characters or more; a sentence is good."
          required
          minLength={12}
          autoComplete="new-password"
          {...form.getInputProps('password')}
        />
        {refusal !== null && <ErrorState error={refusal} />}
        <Button type="submit" loading={busy} fullWidth>
          Join
        </Button>
      </Stack>
    </form>
  );
}
