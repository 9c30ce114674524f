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

const CAUSES: readonly (readonly [RegExp, Failure['reason'], todo: string])[] = [
  [
    /\(Forbidden\)|is forbidden|forbidden: /i,
    'Forbidden',
    'ask for this right, or name another user with --context or --kubeconfig',
  ],
  [/could not find the requested resource/i, 'NoSuchKind', ''],
  [/\(NotFound\)|not found/i, 'NotFound', ''],
  [
    /Unauthorized|must be logged in|provide credentials/i,
    'Unauthorized',
    'log in again, or name another user with --context or --kubeconfig',
  ],
  [
    /refused|no such host|timeout|certificate|Unable to connect|deadline exceeded|unreachable|EOF/i,
    'Unreachable',
    'check which cluster the kubeconfig names: kubectl cluster-info',
  ],
];

/** What kubectl wrote to stderr, as one sentence that says what to do. */
export function failureOf(stderr: string, args: readonly string[]): Failure {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '' && !isNoise(line));
  const said = lines
    .map((line) => line.replace(/^(error: |Error from server(?: \(\w+\))?: )/i, ''))
    .join('; ');
  const call = `kubectl ${args.filter((arg) => arg !== '--raw').join(' ')}`;
  const text = said === '' ? `${call} failed and gave no reason` : `${call}: ${said}`;
  const cause = CAUSES.find(([pattern]) => pattern.test(stderr));
  if (!cause) return { reason: 'Other', message: text };
  const [, reason, todo] = cause;
  return { reason, message: todo === '' ? text : `${text}; ${todo}` };
}

/** klog lines, which kubectl prints before it says the same in a sentence. */
function isNoise(line: string): boolean {
  return /^[EWI]\d{4} [\d:.]+/.test(line);
}
