import { Button, FileButton } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import type { ReactElement } from 'react';

interface ChooseFileProps {
  readonly accept: string;
  readonly onText: (text: string) => void;
}

/** Reads a file of the viewer as text. The same file can be chosen again after a change. */
export function ChooseFile({ accept, onText }: ChooseFileProps): ReactElement {
  return (
    <FileButton
      accept={accept}
      inputProps={{
        onClick: ({ currentTarget }) => {
          currentTarget.value = '';
        },
      }}
      onChange={(file) => void file?.text().then(onText)}
    >
      {(button) => (
        <Button variant="default" size="xs" leftSection={<IconUpload size={14} aria-hidden />} {...button}>
          Choose a file
        </Button>
      )}
    </FileButton>
  );
}
