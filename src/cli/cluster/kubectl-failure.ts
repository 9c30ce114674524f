import { printable } from '../../api/reply/text.ts';

/** Why kubectl failed, as far as commands tell causes apart. */
export interface Failure {
  readonly reason:
    | 'Forbidden'
    | 'NotFound'
    | 'NoSuchKind'
    | 'Unauthorized'
    | 'Unreachable'
    | 'Other';
  /** For the user: what kubectl said, and what to do. */
  readonly message: string;
}

type Args = readonly string[];

/**
 * How kubectl begins a line that says why it failed, what that means, what to do, and what is wrong
 * where it is not the call.
 */
const SHAPES: readonly (readonly [
  RegExp,
  Failure['reason'],
  todo?: string,
  about?: (args: Args) => string,
])[] = [
  // What the API server said: its words are of anybody, so that only the reason beside them counts.
  [
    /^Error from server \(NotFound\): the server could not find the requested resource/,
    'NoSuchKind',
  ],
  [/^Error from server \(NotFound\): /, 'NotFound'],
  [
    /^Error from server \(Forbidden\): [^]*is forbidden: User "/,
    'Forbidden',
    'ask for this right, or name another user with --context or --kubeconfig',
  ],
  [/^Error from server \(Forbidden\): /, 'Forbidden'],
  [
    /^Error from server \(Unauthorized\): |^error: You must be logged in to the server/,
    'Unauthorized',
    'log in again, or name another user with --context or --kubeconfig',
  ],
  [
    /^Error from server \((?:Timeout|ServerTimeout|ServiceUnavailable|TooManyRequests)\): /,
    'Unreachable',
    'try again later',
  ],
  [
    /^Error from server \(BadRequest\): (?:unable to parse requirement: |found '.*', expected: )/,
    'Other',
    'give labels such as -l team=data',
    selectorIn,
  ],
  [/^Error from server|^The \S+ ".*" is invalid: /, 'Other'],
  // What kubectl says itself.
  [
    /^error: (?:stat |context ".*" does not exist|error loading config file |invalid configuration: )/,
    'Other',
    'check --kubeconfig and --context, or the variable KUBECONFIG',
    () => 'the kubeconfig cannot be used',
  ],
  [
    /^error: the server doesn't have a resource type |^error: .*no matches for kind "/,
    'NoSuchKind',
  ],
  [
    /^(?:Unable to connect to the server: |error: |error: .*\b[A-Z][a-z]+ "https?:[^"]*": )getting credentials: /,
    'Unauthorized',
    'the login program that the kubeconfig names gave no credentials: install or mend it, or name another user with --context or --kubeconfig',
  ],
  [
    /^Unable to connect to the server: |^The connection to the server \S+ was refused|^error: (?:.*\b[A-Z][a-z]+ "https?:[^"]*": |dial tcp|(?:read|write) tcp|(?:unexpected )?EOF(?:\n|$)|net\/http: |http2: |tls: |x509: |context deadline exceeded)/,
    'Unreachable',
    'check which cluster the kubeconfig names: kubectl cluster-info',
  ],
];

/** What kubectl wrote to stderr, as one sentence that says what to do. */
export function failureOf(stderr: string, args: Args): Failure {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '' && !isNoise(line));
  const said = lines
    .map((line) => printable(line.replace(/^(error: |Error from server(?: \(\w+\))?: )/i, '')))
    .join('; ');
  const [, reason, todo, about = callOf] = shapeOf(lines) ?? [undefined, 'Other' as const];
  const text =
    said === '' ? `${callOf(args)} failed and gave no reason` : `${about(args)}: ${said}`;
  return { reason, message: todo === undefined ? text : `${text}; ${todo}` };
}

function callOf(args: Args): string {
  return `kubectl ${args.filter((arg) => arg !== '--raw').join(' ')}`;
}

/** As it was given, and not as the path of the call has it. */
function selectorIn(args: Args): string {
  const [, query] = args.find((arg) => arg.includes('labelSelector='))?.split('?') ?? [];
  return `-l ${JSON.stringify(new URLSearchParams(query).get('labelSelector'))}`;
}

/** Of the first line that has one: warnings and what login programs say come before it. */
function shapeOf(lines: readonly string[]) {
  for (const at of lines.keys()) {
    const rest = lines.slice(at).join('\n');
    const shape = SHAPES.find(([pattern]) => pattern.test(rest));
    if (shape) return shape;
  }
  return undefined;
}

/** klog lines, which kubectl prints before it says the same in a sentence. */
export function isNoise(line: string): boolean {
  return /^[EWI]\d{4} [\d:.]+/.test(line);
}
