import { Button, Loader, Progress, Text, ThemeIcon } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import type { Regulation } from '../../../../server/src/admin/contract.ts';
import { regulationsApi } from '../../api/regulations.ts';
import { notifyDone, notifyFailed } from '../../components/notify.ts';
import { OutcomeMark } from '../../components/outcome-mark.tsx';
import { Time } from '../../components/time.tsx';
import { count, many } from '../../format/number.ts';
import { SectionCard } from '../../forms/section-card.tsx';
import { useMayChange } from '../../shell/session.ts';
import classes from './deletion-steps.module.css';
import { STEPS } from './deletion-words.ts';

/** The steps of a deletion, with the result, the progress or the task of each. */
export function DeletionSteps({ regulation }: { readonly regulation: Regulation }): ReactElement {
  const now = STEPS.findIndex(({ step }) => step === regulation.step);
  return (
    <SectionCard title="What it does">
      <ol className={classes['steps']}>
        {STEPS.map(({ step, name }, i) => {
          const state = i < now || regulation.step === 'finished' ? 'done' : i === now ? 'now' : 'open';
          return (
            <li key={step} data-state={state} aria-current={state === 'now' ? 'step' : undefined}>
              <Mark state={state} place={i + 1} />
              <div className={classes['words']}>
                <Text fw={600} c={state === 'open' ? 'dimmed' : 'inherit'}>
                  {name}
                </Text>
                <Text component="div" c="dimmed">
                  {state === 'open' ? OPEN[step] : <Said step={step} regulation={regulation} />}
                </Text>
              </div>
            </li>
          );
        })}
      </ol>
    </SectionCard>
  );
}

/** What a step will do, before it starts. */
const OPEN: Readonly<Record<Regulation['step'], string>> = {
  searching: 'Looks through everything that was accepted before the request.',
  erasing: 'Removes the events that were found, and the profiles: nothing reads them from then on.',
  notifying: 'Sends one delete message for each user and source.',
  delivering: 'Waits until each destination has answered.',
  finished: 'The evidence is kept.',
};

interface SaidProps {
  readonly step: Regulation['step'];
  readonly regulation: Regulation;
}

/** What a step has done or is doing. */
function Said({ step, regulation }: SaidProps): ReactNode {
  const { users, events, notices, createdAt, finishedAt } = regulation;
  const isNow = regulation.step === step && step !== 'finished';
  switch (step) {
    case 'searching':
      return (
        <>
          <Time at={createdAt} absolute />
          <br />
          {isNow ? 'Looks through everything accepted before.' : `${many(events.found, 'event')} found.`}
        </>
      );
    case 'erasing':
      return (
        <>
          {count(events.removed)} of {many(events.found, 'event')} removed.
          {isNow ? (
            <Bar part={events.removed} whole={events.found} label="Events removed" />
          ) : (
            <DeletionBytes regulation={regulation} />
          )}
        </>
      );
    case 'notifying':
      return notices.total === 0 && !isNow
        ? `No destination was told: none that was on had a source that spoke of ${users === 1 ? 'the user' : 'these users'}.`
        : `${many(notices.total, 'delete message')} sent out.`;
    case 'delivering':
      if (notices.total === 0) return 'No receipt was needed.';
      return (
        <>
          {count(notices.delivered)} of {count(notices.total)} delivered
          {notices.failed > 0 && `, ${count(notices.failed)} failed`}
          {notices.filtered > 0 && `, ${count(notices.filtered)} to no destination: each was switched off or deleted`}.
          {isNow && <Bar part={notices.ended} whole={notices.total} label="Delete messages that have ended" />}
        </>
      );
    case 'finished':
      return (
        <>
          <Time at={finishedAt} absolute />
          <br />
          The evidence is kept.
        </>
      );
    default:
      return step satisfies never;
  }
}

function Bar(props: { readonly part: number; readonly whole: number; readonly label: string }): ReactElement {
  const { part, whole, label } = props;
  return <Progress mt={6} size="sm" value={whole === 0 ? 100 : (100 * part) / whole} aria-label={label} />;
}

function Mark({ state, place }: { readonly state: 'done' | 'now' | 'open'; readonly place: number }): ReactElement {
  if (state === 'done') return <OutcomeMark good label="done" size={26} />;
  return (
    <ThemeIcon size={26} radius="xl" color="gray" variant="light" aria-hidden>
      {state === 'now' ? <Loader size={14} /> : <Text size="xs">{place}</Text>}
    </ThemeIcon>
  );
}

/** When the removed bytes left the files. Before that: that they wait for the next compaction, and a button to compact now. */
function DeletionBytes({ regulation: { compactedAt } }: { readonly regulation: Regulation }): ReactElement {
  const mayChange = useMayChange();
  const compact = useMutation(regulationsApi.compact());
  const ask = (): void =>
    void compact
      .mutateAsync()
      .then(
        () => notifyDone('The files are being written without these bytes. This page says when that is done.'),
        notifyFailed('The compaction was not asked for'),
      );
  if (compactedAt !== null) {
    return (
      <>
        <br />
        No file has held their bytes since <Time at={compactedAt} absolute />.
      </>
    );
  }
  return (
    <>
      <br />
      Nothing reads them. Their bytes leave the files with the next compaction.
      {mayChange && (
        <Button variant="default" size="compact-sm" mt={6} loading={compact.isPending} onClick={ask}>
          Compact now
        </Button>
      )}
    </>
  );
}
