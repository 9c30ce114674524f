import { Command, Option } from 'commander';
import { shown } from '../shown.ts';
import { type Environment, FLAG_LIST, flagOf, isStrayVariable, variableOf } from './flags.ts';

/** By the name of a flag in FLAGS, or `help` and `version`. */
export interface CommandLine {
  /** With defaults; true where a flag was given without its value. */
  readonly texts: Readonly<Record<string, string | true | undefined>>;
  /** How a message calls what a text is from: `--api-url` or `PIPEWRIGHT_API_URL`. */
  readonly origins: Readonly<Record<string, string>>;
  /** Arguments and variables that belong to no flag, and flags that were given twice. */
  readonly problems: readonly string[];
}

/** Commander ends at the first problem, so every value is optional to it and is judged later. */
function createCommand(onTwice: (name: string) => void = () => {}): Command {
  const command = new Command('pipewright')
    .usage('--api-url <URL> [flags]')
    .description('Manages pipe settings and private endpoints of a data platform from Kubernetes.')
    .helpOption(false)
    .configureHelp({
      helpWidth: 100,
      optionTerm: ({ flags }) => flags.replace(/\[([A-Z].*)\]/, '<$1>'),
    });
  for (const [name, { placeholder, about, fallback }] of FLAG_LIST) {
    const help = fallback === undefined ? about : `${about} Default: ${fallback}.`;
    const option = new Option(`${flagOf(name)} [${placeholder ?? 'boolean'}]`, help);
    option.argParser((text: string, before: unknown) => {
      if (before !== undefined) onTwice(name);
      return text.trim();
    });
    command.addOption(option);
  }
  return command
    .option('--help', 'Show the flags and exit.')
    .option('--version', 'Show the version and exit.');
}

const AFTER_HELP = `
Each flag has an environment variable, as --api-url has PIPEWRIGHT_API_URL; the flag overrides it.
HTTPS_PROXY, HTTP_PROXY and NO_PROXY apply to the management API only, never to Kubernetes.
`;

export function renderHelp(): string {
  return createCommand().helpInformation() + AFTER_HELP;
}

/** An empty value means the default, so that a template may leave one out. */
export function readCommandLine(argv: readonly string[], env: Environment): CommandLine {
  const problems: string[] = [];
  const command = createCommand((name) =>
    problems.push(`${flagOf(name)} is given twice; leave one of them out`),
  );
  const { operands, unknown } = command.parseOptions([...argv]);
  const given = command.opts<Record<string, string | true | undefined>>();
  const texts = { ...given };
  const origins: Record<string, string> = {};
  for (const [name, { fallback, placeholder }] of FLAG_LIST) {
    if (given[name] === true && placeholder === undefined) given[name] = 'true';
    const variable = env[variableOf(name)]?.trim();
    texts[name] = (given[name] ?? variable) || fallback;
    origins[name] = given[name] === undefined && variable ? variableOf(name) : flagOf(name);
  }
  problems.push(...strayArguments([...operands, ...unknown], argv));
  for (const variable of Object.keys(env).filter(isStrayVariable))
    problems.push(`the environment variable ${variable} belongs to no flag; --help lists all`);
  return { texts, origins, problems };
}

/**
 * Repeats no value: a mistyped flag is named up to where one may begin, and what follows one is its
 * value, perhaps a password.
 */
function strayArguments(found: readonly string[], argv: readonly string[]): string[] {
  const words = found.filter((word) => word !== '--');
  return words.flatMap((word, at) => {
    const [flag] = /^-[^=:@\s]{0,60}/.exec(word) ?? [];
    if (flag !== undefined) return `${flag} is no flag; --help lists all`;
    const before = words[at - 1] ?? '';
    const isItsValue = argv.some((one, nth) => one === before && argv[nth + 1] === word);
    if (isItsValue && /^-[^=]*$/.test(before)) return [];
    return `${shown(word)} belongs to no flag; every value follows a flag, as in --log-level debug`;
  });
}
