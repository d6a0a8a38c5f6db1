import { Alert, Button, type ButtonProps, FileButton, Group, Progress, Skeleton, Stack, Text } from '@mantine/core';
import { upperFirst } from '@mantine/hooks';
import { IconAlertTriangle, IconCircleCheck, IconFileImport, IconInfoCircle } from '@tabler/icons-react';
import { type ReactElement, useState } from 'react';
import type { Source } from '../../../../server/src/admin/contract.ts';
import { ImportStopped } from '../../../../server/src/import/run.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { bytes, count, many } from '../../format/number.ts';
import { SectionCard } from '../../forms/section-card.tsx';
import type { FileImport, ImportView } from './file-import.ts';
import type { KeptImport } from './import-store.ts';

interface ImportCardProps {
  readonly source: Source;
  readonly fileImport: FileImport;
  readonly view: ImportView;
}

/** Chooses the file, and shows the progress and the result of its import. */
export function ImportCard(props: ImportCardProps): ReactElement {
  const { source, fileImport, view } = props;
  const { phase, kept, waiting, error, otherFile } = view;
  const { writeKey } = source;
  return (
    <SectionCard
      title="Import a file"
      description={
        <>
          Historical calls as NDJSON, one call with its <code>type</code> on each line, packed with gzip or not.
          Timestamps are kept. Each call goes to the source's destinations like any other, unless it is older than they
          take.
        </>
      }
    >
      {phase === 'looking' && <Skeleton height={64} />}
      {kept && phase !== 'none' && <ImportProgress kept={kept} phase={phase} />}
      {waiting !== null && (
        <Alert color="yellow" title="Nothing is taken now" icon={<IconInfoCircle aria-hidden />}>
          {sentence(waiting)} It is tried again by itself, for five minutes.
        </Alert>
      )}
      {error !== null && <Stopped error={error} />}
      {otherFile && kept && (
        <Alert
          color="yellow"
          role="alert"
          title={`“${otherFile.name}” is not the file whose import was begun`}
          icon={<IconAlertTriangle aria-hidden />}
        >
          <Text>
            Its first line differs, or it is shorter than the imported part of “{kept.name}”. Starting over forgets how
            far that import has come, and its refused lines.
          </Text>
          <Button mt="sm" size="xs" variant="default" onClick={() => void fileImport.run(otherFile, writeKey, true)}>
            Import “{otherFile.name}” from its beginning
          </Button>
        </Alert>
      )}
      <Controls {...props} />
    </SectionCard>
  );
}

function Stopped({ error }: { readonly error: unknown }): ReactElement {
  const title = error instanceof ImportStopped ? `Stopped before line ${count(error.line)}` : 'The import can’t go on';
  return (
    <Alert color="red" role="alert" title={title} icon={<IconAlertTriangle aria-hidden />}>
      {sentence(error instanceof Error ? error.message : String(error))}
      {error instanceof ImportStopped && ' What was taken before it is done: going on begins there.'}
    </Alert>
  );
}

function Controls({ source, fileImport, view }: ImportCardProps): ReactElement | null {
  const [chosen, setChosen] = useState<File | null>(null);
  const { phase } = view;
  const forget = (): Promise<void> => {
    setChosen(null);
    return fileImport.forget();
  };
  if (phase === 'looking') return null;
  if (phase === 'running' || phase === 'pausing') {
    return (
      <Group>
        <Button variant="default" loading={phase === 'pausing'} onClick={() => fileImport.pause()}>
          Pause
        </Button>
        <Text c="dimmed">Keep this page open.</Text>
      </Group>
    );
  }
  if (phase === 'over') {
    return (
      <Group gap="sm">
        <Forget label="Import another file" variant="default" view={view} onForget={forget} />
        <AnchorLink to="/messages" search={{ source: source.id }}>
          Messages of this source
        </AnchorLink>
      </Group>
    );
  }
  const canGoOn = phase === 'paused' || (phase === 'stopped' && fileImport.hasFile());
  const isNew = phase === 'none';
  const begin = chosen && isNew;
  return (
    <Group gap="sm">
      {canGoOn && <Button onClick={() => fileImport.goOn(source.writeKey)}>Go on</Button>}
      {begin && (
        <Button onClick={() => void fileImport.run(chosen, source.writeKey)} style={{ overflowWrap: 'anywhere' }}>
          Import {chosen.name} ({bytes(chosen.size)})
        </Button>
      )}
      <FileButton
        accept=".ndjson,.jsonl,.json,.gz,application/x-ndjson,application/gzip"
        onChange={(file) => file && (isNew ? setChosen(file) : void fileImport.run(file, source.writeKey))}
        inputProps={{ 'aria-label': 'File to import' }}
      >
        {(props) => (
          <Button
            {...props}
            variant={canGoOn || begin ? 'default' : 'filled'}
            leftSection={<IconFileImport size={16} aria-hidden />}
          >
            {isNew ? `Choose ${begin ? 'another' : 'a'} file` : 'Choose the file again'}
          </Button>
        )}
      </FileButton>
      {!isNew && <Forget label="Forget this import" variant="subtle" color="gray" view={view} onForget={forget} />}
    </Group>
  );
}

interface ForgetProps extends Pick<ButtonProps, 'variant' | 'color'> {
  readonly label: string;
  readonly view: ImportView;
  readonly onForget: () => Promise<void>;
}

/** Asks first if refused lines, which only this browser has, were not downloaded. */
function Forget({ label, view: { kept, downloaded }, onForget, ...button }: ForgetProps): ReactElement {
  const refused = kept?.progress.rejected ?? 0;
  if (refused <= downloaded) {
    return (
      <Button {...button} onClick={() => void onForget()}>
        {label}
      </Button>
    );
  }
  return (
    <ConfirmButton
      label={label}
      button={button}
      title={`Forget the refused lines of “${kept?.name}”?`}
      action="Forget them"
      onConfirm={onForget}
    >
      {many(refused, 'line')} of it {refused === 1 ? 'was' : 'were'} refused. Only this browser has them: download them
      first if you want to repair and import them.
    </ConfirmButton>
  );
}

/** Turns a text into a sentence. */
function sentence(text: string): string {
  return `${upperFirst(text)}${/[.!]$/.test(text) ? '' : '.'}`;
}

interface ImportProgressProps {
  readonly kept: KeptImport;
  readonly phase: ImportView['phase'];
}

/** The progress and the counts of an import. */
function ImportProgress({ kept, phase }: ImportProgressProps): ReactElement {
  const { name, share, progress } = kept;
  const percent = phase === 'over' ? 100 : Math.min(99, Math.floor(share * 100));
  const isWhole = phase === 'over' && progress.rejected === 0 && progress.accepted > 0;
  const color = phase === 'stopped' ? 'red' : isWhole ? 'teal' : phase === 'over' ? 'yellow' : 'indigo';
  return (
    <Stack gap="xs">
      <Text size="md" fw={600} style={{ overflowWrap: 'anywhere' }}>
        {name}: {TITLES[phase]}
        {phase !== 'over' && `, ${percent}%`}
      </Text>
      <Progress value={percent} color={color} size="lg" aria-label="How far the import is" />
      {/* During the import, the numbers change too often for a screen reader. */}
      <Text {...(phase !== 'running' && { role: 'status' })}>{inWords(kept)}</Text>
      {phase === 'over' && (
        <Alert
          color={isWhole ? 'teal' : 'yellow'}
          title={isWhole ? 'Every call was accepted' : endInWords(kept)}
          icon={isWhole ? <IconCircleCheck aria-hidden /> : <IconAlertTriangle aria-hidden />}
        >
          {isWhole && 'Accepted calls are kept. What their destinations make of them is shown with each message.'}
          {progress.rejected > 0 &&
            'The refused lines below were not taken. Download them, mend the calls, and import them as a file of their own.'}
        </Alert>
      )}
      {progress.untimed > 0 && (
        <Text c="dimmed">
          {many(progress.untimed, 'call')} had no timestamp that can be read, and got the time of the import.
        </Text>
      )}
    </Stack>
  );
}

const TITLES: Readonly<Record<ImportView['phase'], string>> = {
  looking: '',
  none: '',
  kept: 'begun, and not at its end',
  running: 'sending',
  pausing: 'pausing',
  paused: 'paused',
  stopped: 'stopped',
  over: 'read to its end',
};

function inWords({ progress: { line, accepted, rejected } }: KeptImport): string {
  const empty = line - accepted - rejected;
  const left = empty > 0 ? `, ${count(empty)} empty` : '';
  return `${many(line, 'line')} read: ${count(accepted)} accepted, ${count(rejected)} refused${left}.`;
}

function endInWords({ progress: { accepted, rejected } }: KeptImport): string {
  if (accepted + rejected === 0) return 'The file has no call';
  if (accepted === 0) return `Every call was refused: ${count(rejected)}`;
  return `${many(rejected, 'call')} ${rejected === 1 ? 'was' : 'were'} refused`;
}
