import type { Setting } from '../packages/server/src/config.ts';

const HEAD = `# Configuration

<!-- Generated from packages/server/src/config-schema.ts by \`npm run docs\`: change it there. -->

Every setting is an environment variable, and a flag of \`millrace start\` (\`MILLRACE_DATA_DIR\` is \`--data-dir\`). A flag
goes before the environment; an empty value counts as left out. Wrong values keep the service from starting, and it says
about each what it is, what it must be and what it would be by default. So does a variable that is nearly a setting
(\`MILLRACE_RETENTON\`); other variables that begin with \`MILLRACE_\` have no effect,
but for those that [the commands](cli.md) read.

Durations are a whole number and a unit: \`500ms\`, \`5s\`, \`10m\`, \`4h\`, \`7d\`.

`;

const FOOT = `
## The retry schedule

\`MILLRACE_RETRY_BASE\` ≤ \`MILLRACE_RETRY_CAP\` ≤ \`MILLRACE_RETRY_WINDOW\`. What is left out follows what is given: with only
\`MILLRACE_RETRY_WINDOW=3s\`, base and cap are 3 s too. Two given values that contradict each other are an error.

## Kubernetes

For a service called \`millrace\` Kubernetes sets \`MILLRACE_PORT=tcp://…\` in every pod beside it, which is no port.
Set \`enableServiceLinks: false\` in the pod's specification, or call the service something else.
`;

/** The whole of docs/configuration.md. */
export function configurationPage(settings: readonly Setting[]): string {
  return HEAD + settings.map(section).join('\n') + FOOT;
}

function section({ env, flag, type, fallback, limits, help, secret }: Setting): string {
  const facts = [
    `- Flag: \`--${flag}\``,
    `- Type: ${type}${secret ? ', a secret: never printed or logged' : ''}`,
    `- Must be ${limits}`,
    `- Default: ${fallback === '' ? 'none' : `\`${fallback}\``}`,
  ];
  return `## \`${env}\`\n\n${help}\n\n${facts.join('\n')}\n`;
}
