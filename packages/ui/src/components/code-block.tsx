import type { ReactElement, ReactNode } from 'react';
import classes from './code-block.module.css';
import { CopyButton } from './copy-button.tsx';

interface CodeBlockProps {
  readonly code: string;
  /** The name of the text: `curl command`. */
  readonly label: string;
  /** The same text with its parts marked. Default: the plain text. */
  readonly children?: ReactNode;
  /** Shown beside the copy button. */
  readonly controls?: ReactNode;
  /** Greatest height in px; a longer text scrolls. */
  readonly height?: number;
}

/** A text to read exactly and to copy. It scrolls within its block, by the keyboard too. */
export function CodeBlock({ code, label, children, controls, height }: CodeBlockProps): ReactElement {
  return (
    <div className={classes['block']}>
      <div className={classes['controls']}>
        {controls}
        <CopyButton value={code} of={`the ${label}`} />
      </div>
      <section
        className={classes['text']}
        data-line={!code.includes('\n') || undefined}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach an area that scrolls.
        tabIndex={0}
        aria-label={label}
        style={{ maxHeight: height }}
      >
        <pre>
          <code>{children ?? code}</code>
        </pre>
      </section>
    </div>
  );
}
