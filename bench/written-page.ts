/** The page as an earlier run left it, in the pieces that another run may keep. */
export interface WrittenPage {
  /** What the page comes down to; empty where it says nothing of it. */
  readonly headline: string;
  /** The line that names the machine. */
  readonly setting: string;
  /** Whole sections by their titles, heading included. */
  readonly sections: ReadonlyMap<string, string>;
  /** Rows of the table of targets, by what they are about. */
  readonly targets: ReadonlyMap<string, readonly string[]>;
  /** What stands under "Not measured". */
  readonly skipped: readonly string[];
}

/** @param generated The page without what is written by hand. */
export function readPage(generated: string): WrittenPage {
  const [head = '', ...sections] = generated.split(/\n\n(?=## )/).map((part) => part.trim());
  const byTitle = new Map(sections.map((section) => [/^## (.*)/.exec(section)?.[1] ?? '', section]));
  return {
    headline: head.split('\n\n').find((part) => part.startsWith('**')) ?? '',
    setting: head.split('\n\n').at(-1) ?? '',
    sections: byTitle,
    targets: new Map(rows(byTitle.get('Targets') ?? '').map((row) => [row[0] ?? '', row])),
    skipped: [...(byTitle.get('Not measured') ?? '').matchAll(/^- (.*)$/gm)].map(([, text = '']) => text),
  };
}

/** The cells of a table, without its head. */
function rows(section: string): string[][] {
  const lines = section.split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(2).map((line) => line.slice(2, -2).split(' | '));
}
