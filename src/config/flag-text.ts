import { environmentName, type Flag } from './flags.ts';

const INDENT = ' '.repeat(6);
const WIDTH = 100;

/** The page for `--help`. */
export function renderHelp(flags: readonly Flag[]): string {
  const entries = flags.map((flag) => {
    const value = flag.placeholder === undefined ? '' : ` ${flag.placeholder}`;
    const shown = defaultOf(flag);
    return [
      `  --${flag.name}${value}`,
      ...wrap(shown === '' ? flag.about : `${flag.about} Default: ${shown.replaceAll('`', '')}.`),
    ].join('\n');
  });
  return [
    'pipewright manages pipe settings and organization private endpoints of a data platform from Kubernetes objects.',
    '',
    'Usage: pipewright --api-url URL [flags]',
    '',
    ...entries,
    '',
    `Write a flag as --flag value or --flag=value. Every flag is also an environment variable: --api-url is`,
    `${environmentName('api-url')}. A flag takes precedence over the environment; an empty value means the default.`,
    '',
    'HTTPS_PROXY, HTTP_PROXY and NO_PROXY, also in lower case, apply to the management API only, never to Kubernetes.',
    '',
  ].join('\n');
}

/** The table for the guide on flags. */
export function renderTable(flags: readonly Flag[]): string {
  const rows = flags.map((flag) => {
    const shown = defaultOf(flag);
    const written =
      flag.placeholder === undefined ? `--${flag.name}` : `--${flag.name} ${flag.placeholder}`;
    const variable = flag.commandLineOnly ? '–' : `\`${environmentName(flag.name)}\``;
    const fallback = shown === '' ? '–' : flag.defaultText === undefined ? `\`${shown}\`` : shown;
    return `| \`${written}\` | ${variable} | ${fallback} | ${flag.about.replaceAll('|', '\\|')} |`;
  });
  return ['| Flag | Environment | Default | Meaning |', '|---|---|---|---|', ...rows, ''].join(
    '\n',
  );
}

function defaultOf({ default: value = '', defaultText }: Flag): string {
  return defaultText ?? value;
}

function wrap(text: string): string[] {
  const lines: string[] = [];
  let line = INDENT;
  for (const word of text.split(' ')) {
    if (line.length + word.length > WIDTH) {
      lines.push(line.trimEnd());
      line = INDENT;
    }
    line += `${word} `;
  }
  return [...lines, line.trimEnd()];
}
