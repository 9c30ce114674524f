import type { Mutation } from '../mutation.ts';

const CONFIG = 'test/tables/process/config.test.ts';
const CONFIG_SECRETS = 'test/tables/process/config-secrets.test.ts';
const MASKING = 'test/tables/process/masking.test.ts';
const RUNNING = 'test/tables/process/running.test.ts';

/** Ending. */
const ENDING: readonly Mutation[] = [];

/** What the process was asked to do. */
const FLAGS: readonly Mutation[] = [
  {
    name: 'every-problem-at-once',
    rule: 'Everything that is wrong with the flags is said at once.',
    file: 'config/config.ts',
    from: '...line.problems,',
    to: '',
    seenBy: {
      test: CONFIG,
      title: 'of the command line, the environment, values and combinations',
    },
  },
  {
    name: 'flag-before-environment',
    rule: 'A flag wins over the environment.',
    file: 'config/command-line.ts',
    from: '(given[name] ?? variable) || fallback',
    to: 'variable || given[name] || fallback',
    seenBy: { test: CONFIG, title: '"--api-in-flight=7" with' },
  },
  {
    name: 'flag-given-twice-is-refused',
    rule: 'Of two values for one flag none is taken by chance.',
    file: 'config/command-line.ts',
    from: 'if (before !== undefined) onTwice(name);',
    to: '',
    seenBy: {
      test: CONFIG,
      title: 'of the command line, the environment, values and combinations',
    },
  },
  {
    name: 'mistyped-variable-is-refused',
    rule: 'A variable of ours that is no flag is refused, not ignored.',
    file: 'config/flags.ts',
    from: 'return !FLAG_LIST.some(',
    to: 'return FLAG_LIST.every(',
    seenBy: {
      test: CONFIG,
      title: 'of the command line, the environment, values and combinations',
    },
  },
  {
    name: 'mistyped-flag-shows-no-value',
    rule: 'What stands behind a mistyped flag is not repeated: it may hold a password.',
    file: 'config/command-line.ts',
    from: 'if (isItsValue && ',
    to: 'if (!isItsValue && ',
    seenBy: { test: CONFIG, title: '["--proxy-password","hunter22"]' },
  },
  {
    name: 'stray-word-shows-no-password',
    rule: 'Nor is a password in what belongs to no flag.',
    file: 'config/command-line.ts',
    from: '${shown(word)} belongs to no flag',
    to: '"${word}" belongs to no flag',
    seenBy: { test: CONFIG_SECRETS, title: 'a password in any value is not repeated' },
  },
  {
    name: 'no-password-in-a-wrong-value',
    rule: 'A value that was refused is repeated only as far as no password can stand in it.',
    file: 'shown.ts',
    from: 'return JSON.stringify(most < named.length ?',
    to: 'return JSON.stringify(most < 0 ?',
    seenBy: { test: CONFIG_SECRETS, title: 'a password in any value is not repeated' },
  },
  {
    name: 'text-of-a-file-is-not-shown',
    rule: 'Nothing is repeated of the text of a file, which may be a key, in the place of a value.',
    file: 'shown.ts',
    from: "if (isTextOfFile(text)) return '",
    to: "if (text === '') return '",
    seenBy: { test: CONFIG_SECRETS, title: 'of the text of a file in the place of its path' },
  },
  {
    name: 'flag-ends-at-a-blank',
    rule: 'Nor where it is taken for a flag, as it begins with dashes.',
    file: 'config/command-line.ts',
    from: '/^-[^=:@\\s]{0,60}/',
    to: '/^-[^=:@]*/',
    seenBy: { test: CONFIG_SECRETS, title: 'of the text of a file in the place of its path' },
  },
  {
    name: 'equal-shards-share-a-lease',
    rule: 'Processes that work on the same namespaces share a Lease, however they are listed.',
    file: 'config/config.ts',
    from: 'namespaces.toSorted()',
    to: 'namespaces',
    seenBy: { test: CONFIG, title: 'are one shard' },
  },
  {
    name: 'equal-selectors-share-a-lease',
    rule: 'Nor do they part by how a selector is spelled.',
    file: 'config/values.ts',
    from: '[...new Set(items)].toSorted()',
    to: '[...new Set(items)]',
    seenBy: { test: CONFIG, title: 'are one shard' },
  },
  {
    name: 'other-shards-have-their-lease',
    rule: 'Processes that work on other namespaces do not wait for one another.',
    file: 'config/config.ts',
    from: 'if (selector === undefined && namespaces.length === 0)',
    to: 'if (selector === undefined)',
    seenBy: { test: CONFIG, title: 'is pipewright-642bf600 with' },
  },
  {
    name: 'replicas-elect-a-leader',
    rule: 'In a cluster a leader is elected unless it is told otherwise.',
    file: 'config/config.ts',
    from: "texts['leaderElect'] ?? String(isInPod)",
    to: "texts['leaderElect'] ?? 'false'",
    seenBy: { test: CONFIG, title: '"" with {"KUBERNETES_SERVICE_HOST"' },
  },
  {
    name: 'private-key-stays-in-its-file',
    rule: 'Of the file for --api-ca-file only the certificates are taken.',
    file: 'config/values.ts',
    from: "new X509Certificate(pem).toString()).join('')",
    to: "new X509Certificate(pem).toString()).join('') && readFileSync(path, 'utf8')",
    seenBy: { test: CONFIG, title: 'and no private key beside them' },
  },
  {
    name: 'no-password-behind-a-proxy',
    rule: 'A proxy is not taken where a part of its password would be its path.',
    file: 'config/config.ts',
    from: '(PROXY.test(text) && URL.canParse(text))',
    to: 'URL.canParse(text)',
    seenBy: { test: CONFIG, title: 'a proxy ' },
  },
];

/** What leaves the process beside calls. */
const SAYING: readonly Mutation[] = [
  {
    name: 'known-secrets-leave-no-log',
    rule: 'The values of a line of the log are looked through for every known secret.',
    file: 'telemetry/logger.ts',
    from: 'const text = redact(value);',
    to: 'const text = value;',
    seenBy: { test: MASKING, title: 'hides a key, in lists too' },
  },
  {
    name: 'names-are-not-redacted',
    rule: 'What a line of the log is about stays in it, whatever a tenant calls its key.',
    file: 'telemetry/logger.ts',
    from: 'NAMES.test(name) ? (text) => text : redactor.redact',
    to: 'redactor.redact',
    seenBy: { test: MASKING, title: 'says what it is about, also where a tenant' },
  },
  {
    name: 'objects-are-not-logged',
    rule: 'An object, which may hold a header, never gets into the log.',
    file: 'telemetry/logger.ts',
    from: "if (typeof value === 'object' && value !== null) return '[not logged]';",
    to: '',
    seenBy: { test: MASKING, title: 'has no object' },
  },
  {
    name: 'cut-after-redacting',
    rule: 'A text of the log is cut only once no secret is in it any more.',
    file: 'telemetry/logger.ts',
    from: 'redact(value);',
    to: 'redact(value.slice(0, LONGEST_TEXT));',
    seenBy: { test: MASKING, title: 'is cut only once no key is in it' },
  },
  {
    name: 'overlapping-secrets-go-together',
    rule: 'A secret that overlaps another uncovers no part of it.',
    file: 'telemetry/mask.ts',
    from: 'end = Math.max(end, length > 0 ? at + length : 0);',
    to: 'if (length > 0) at = (end = at + length) - 1;',
    seenBy: { test: MASKING, title: 'keys that overlap go together' },
  },
  {
    name: 'secret-is-found-in-base64',
    rule: 'A secret is found in base64, wherever it begins there.',
    file: 'telemetry/mask.ts',
    from: '[0, 1, 2, 3].some(',
    to: '[0].some(',
    seenBy: { test: MASKING, title: 'is hidden in base64 in a path' },
  },
  {
    name: 'secret-is-found-in-json',
    rule: 'A secret is found as JSON escapes it.',
    file: 'telemetry/mask.ts',
    from: '(["\\\\/])',
    to: '(["])',
    seenBy: { test: MASKING, title: 'is hidden in JSON' },
  },
  {
    name: 'short-secret-is-a-word',
    rule: 'A secret of a few letters does not take them out of every text.',
    file: 'telemetry/mask.ts',
    from: 'length >= ANYWHERE_FROM || !LETTER.test(beside)',
    to: 'length > 0 || !LETTER.test(beside)',
    seenBy: { test: MASKING, title: 'that is shorter than 6 characters' },
  },
  {
    name: 'shared-secret-stays-guarded',
    rule: 'A secret is kept out of the log until its last holder lets go.',
    file: 'telemetry/mask.ts',
    from: 'if (others.length > 0) known.set(head, others);\n    else known.delete(head);',
    to: 'known.delete(head);',
    seenBy: {
      test: MASKING,
      title: 'a value is forgotten when the last who asked for it has let go',
    },
  },
  {
    name: 'objects-are-counted-now',
    rule: 'An object that is gone or has changed is not counted for what it was.',
    file: 'telemetry/metrics.ts',
    from: 'this.reset();',
    to: '',
    seenBy: { test: RUNNING, title: 'of metrics counts an object for what it is now' },
  },
  {
    name: 'bug-is-told-without-its-properties',
    rule: 'An error that nobody caught ends the process with one line and shows no header.',
    file: 'main.ts',
    from: "['unhandledRejection', 'uncaughtException'] as const",
    to: "['uncaughtException'] as const",
    seenBy: { test: RUNNING, title: 'a defect that nobody catches' },
  },
  {
    name: 'ready-only-with-its-lists',
    rule: '/readyz fails until everything has been listed.',
    file: 'telemetry/health.ts',
    from: 'const what = missing();',
    to: 'const what = undefined;',
    seenBy: { test: RUNNING, title: 'readyz names what is not listed' },
  },
];

export const PROCESS: readonly Mutation[] = [...ENDING, ...FLAGS, ...SAYING];
