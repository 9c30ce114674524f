import { parseArgs } from 'node:util';
import { shown } from '../shown.ts';

/** The value of a text, or what is wrong with the text: repeats it and says what to write. */
export type Reading<Value> = { readonly value: Value } | { readonly problem: string };

/**
 * One flag of the command line. Everything about flags is made from these: parsing, help,
 * environment, the table in the guide.
 */
export interface Flag {
  readonly name: string;
  /** Stands for the value in the help; a flag without one is a boolean. */
  readonly placeholder?: string;
  /** As a user would write it; absent where there is none. */
  readonly default?: string;
  /** For the table, where the default depends on something. */
  readonly defaultText?: string;
  readonly about: string;
  /** Has no environment variable. */
  readonly commandLineOnly?: true;
  readonly read: (text: string) => Reading<unknown>;
}

/** What was written for a flag, and how to call it in a message. */
export interface Given {
  readonly text: string;
  readonly origin: string;
}

export interface Arguments {
  /** By flag. An empty value counts as none given, so that a template may leave one out. */
  readonly given: ReadonlyMap<string, Given>;
  readonly problems: readonly string[];
}

const ENVIRONMENT_PREFIX = 'PIPEWRIGHT_';
/**
 * What Kubernetes itself sets in every container next to a Service named pipewright or pipewright-…
 */
const SERVICE_LINK =
  /_SERVICE_HOST$|_SERVICE_PORT(_.+)?$|_PORT$|_PORT_\d+_(TCP|UDP|SCTP)(_(ADDR|PORT|PROTO))?$/;

export function environmentName(flag: string): string {
  return ENVIRONMENT_PREFIX + flag.toUpperCase().replaceAll('-', '_');
}

/**
 * Sorts out which flag got which text, a flag before the environment; says everything that is
 * wrong, not only the first.
 */
export function readArguments(
  flags: readonly Flag[],
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Arguments {
  const line = readCommandLine(flags, argv);
  const environment = readEnvironment(flags, env);
  const both = new Map([...environment.given, ...line.given]);
  const given = new Map([...both].filter(([, { text }]) => text !== ''));
  return { given, problems: [...line.problems, ...environment.problems] };
}

function readCommandLine(flags: readonly Flag[], argv: readonly string[]): Arguments {
  const byName = new Map(flags.map((flag) => [flag.name, flag]));
  const given = new Map<string, Given>();
  const problems: string[] = [];
  const tokens = tokensOf(argv);
  for (const [at, token] of tokens.entries()) {
    if (token.kind === 'positional' && valueBehind(tokens[at - 1], token, byName) === undefined)
      problems.push(noFlag(token.value));
    if (token.kind !== 'option') continue;
    const flag = byName.get(token.name);
    const name = `--${token.name}`;
    const implied = flag?.placeholder === undefined ? 'true' : undefined;
    const text = token.value ?? valueBehind(token, tokens[at + 1], byName) ?? implied;
    if (!flag) problems.push(noFlag(token.rawName));
    else if (text === undefined)
      problems.push(`${name} has no value; write ${name}=${flag.placeholder}`);
    else if (given.has(flag.name)) problems.push(`${name} is given twice; leave one of them out`);
    else given.set(flag.name, { text: text.trim(), origin: name });
  }
  return { given, problems };
}

type Token = NonNullable<ReturnType<typeof parseArgs>['tokens']>[number];

/** To parseArgs one dash begins a group of one-letter flags; behind a blank it is a plain text. */
function tokensOf(argv: readonly string[]): readonly Token[] {
  const args = argv.map((text) => (/^-[^-]/.test(text) ? ` ${text}` : text));
  return parseArgs({ args, strict: false, tokens: true }).tokens;
}

/** The text behind a flag where it is its value: that of a mistyped flag is no second mistake. */
function valueBehind(
  flag: Token | undefined,
  next: Token | undefined,
  byName: ReadonlyMap<string, Flag>,
): string | undefined {
  if (flag?.kind !== 'option' || flag.value !== undefined || next?.kind !== 'positional')
    return undefined;
  const known = byName.get(flag.name);
  if (known === undefined) return next.value.startsWith(' -') ? undefined : next.value;
  const isSwitch = known.placeholder === undefined;
  return isSwitch && !/^(true|false)$/.test(next.value) ? undefined : next.value;
}

/** Repeats no value: a mistyped flag is named up to where one may begin. */
function noFlag(argument: string): string {
  const text = argument.trim();
  const [flag] = /^-[^=:@\s]*/.exec(text) ?? [];
  if (flag !== undefined) return `${flag} is no flag; --help lists all`;
  return `${shown(text)} belongs to no flag; every value follows a flag, as in --log-level debug`;
}

function readEnvironment(
  flags: readonly Flag[],
  env: Readonly<Record<string, string | undefined>>,
): Arguments {
  const names = new Map(
    flags.filter((flag) => !flag.commandLineOnly).map(({ name }) => [environmentName(name), name]),
  );
  const given = new Map<string, Given>();
  const problems: string[] = [];
  for (const [variable, text] of Object.entries(env)) {
    if (!variable.startsWith(ENVIRONMENT_PREFIX) || text === undefined) continue;
    const name = names.get(variable);
    if (name !== undefined) given.set(name, { text: text.trim(), origin: variable });
    else if (!SERVICE_LINK.test(variable))
      problems.push(`the environment variable ${variable} belongs to no flag; --help lists all`);
  }
  return { given, problems };
}
