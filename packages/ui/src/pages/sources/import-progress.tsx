import { Alert, Progress, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { count, many } from '../../format/number.ts';
import type { ImportView } from './file-import.ts';
import type { KeptImport } from './import-store.ts';

interface ImportProgressProps {
  readonly kept: KeptImport;
  readonly phase: ImportView['phase'];
}

/** How far an import is, and what came of it. */
export function ImportProgress({ kept, phase }: ImportProgressProps): ReactElement {
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
      {/* While it runs the numbers change too often to be read out. */}
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
