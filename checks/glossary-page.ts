import type { Term } from '../packages/ui/src/glossary/terms.ts';

const HEAD = `# Glossary

<!-- Generated from packages/ui/src/glossary/terms.ts by \`npm run docs\`: change it there. -->

The words of these pages and of the web interface, which shows the same list under *Glossary*.

| Word | Meaning |
|---|---|
`;

/** The whole of docs/glossary.md. */
export function glossaryPage(terms: Readonly<Record<string, Term>>): string {
  return (
    HEAD +
    Object.values(terms)
      .map(({ word, means, see }) => `| [${word}](${see}) | ${means} |\n`)
      .join('')
  );
}
