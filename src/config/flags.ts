/**
 * A value, or what would have been one: "must be …", as the end of a sentence that begins with the
 * value.
 */
export type Reading<Value> = { readonly value: Value } | { readonly problem: string };

/**
 * One flag of the command line. Everything about flags is made from these: parsing, help,
 * environment, the table in the README.
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
  const rest = argv.values();
  let next = rest.next().value;
  while (next !== undefined) {
    const argument: string = next;
    next = rest.next().value;
    const [, name = '', inline] = /^--([^=]+)(?:=(.*))?$/s.exec(argument) ?? [];
    const flag = byName.get(name);
    if (!flag) {
      problems.push(unknownArgument(argument, name, flags));
      // The value of a mistyped flag is not one more mistake.
      if (name !== '' && inline === undefined && next !== undefined && !next.startsWith('-'))
        next = rest.next().value;
      continue;
    }
    let text = inline;
    const isBoolean = flag.placeholder === undefined;
    const takesNext = isBoolean
      ? next === 'true' || next === 'false'
      : next !== undefined && !next.startsWith('--');
    if (text === undefined && takesNext) {
      text = next;
      next = rest.next().value;
    }
    if (text === undefined && isBoolean) text = 'true';
    const before = given.get(name);
    if (text === undefined)
      problems.push(`--${name} has no value; write --${name}=${flag.placeholder ?? 'true'}`);
    else if (before) problems.push(`--${name} is given twice; leave one of them out`);
    else given.set(name, { text: text.trim(), origin: `--${name}` });
  }
  return { given, problems };
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
    else if (!SERVICE_LINK.test(variable)) {
      problems.push(
        `the environment variable ${variable} belongs to no flag${didYouMean(variable, [...names.keys()]) || '; --help lists all'}`,
      );
    }
  }
  return { given, problems };
}

/**
 * Names no value: what stands behind a mistyped flag may be anything, an address with a password
 * too.
 */
function unknownArgument(argument: string, name: string, flags: readonly Flag[]): string {
  const known = flags.map((flag) => `--${flag.name}`);
  const written = name === '' ? (argument.split('=', 1)[0] ?? '') : `--${name}`;
  if (!written.startsWith('-')) {
    return `${JSON.stringify(withoutUserInfo(written))} belongs to no flag; every value follows a flag, as in --log-level debug`;
  }
  return `${written} is no flag${didYouMean(written.replace(/^-+/, '--'), known) || '; --help lists all'}`;
}

/** For echoing a value that may turn out to be an address. */
export function withoutUserInfo(text: string): string {
  return text.replace(/\/\/.*@/s, '//***@');
}

/**
 * The end of a sentence about a name that is not known; empty where nothing known looks like it.
 */
export function didYouMean(written: string, known: readonly string[]): string {
  const wanted = plainSpelling(written);
  const ranked = known
    .map((name) => ({ name, distance: editDistance(wanted, plainSpelling(name)) }))
    .toSorted((a, b) => a.distance - b.distance);
  const [nearest] = ranked;
  if (nearest && nearest.distance <= (wanted.length < 5 ? 1 : 2))
    return `; did you mean ${nearest.name}?`;
  const longer = ranked.find(({ name }) => containsOther(wanted, plainSpelling(name)));
  return longer === undefined ? '' : `; did you mean ${longer.name}?`;
}

/** Four letters in common are a hint, three an accident. */
function containsOther(a: string, b: string): boolean {
  return Math.min(a.length, b.length) >= 4 && (a.includes(b) || b.includes(a));
}

/** What is left of a flag's and of a variable's name when both are written alike. */
function plainSpelling(name: string): string {
  return name
    .replace(/^--|^PIPEWRIGHT_/, '')
    .toLowerCase()
    .replaceAll('_', '-');
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const above = row;
    row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (above[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(replaced, (above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
  }
  return row[b.length] ?? 0;
}
