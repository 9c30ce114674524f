import type { Mutation } from '../mutation.ts';

const GRACE = 'test/unit/process-grace.test.ts';
const CONFIG = 'test/unit/config.test.ts';
const LOG = 'test/unit/log.test.ts';
const REDACTION = 'test/unit/redaction.test.ts';
const SERVER = 'test/unit/server.test.ts';
const HOSTILE_FLAGS = 'test/unit/hostile-flags.test.ts';

/** Ending. */
const ENDING: readonly Mutation[] = [
  {
    name: 'last-word-has-its-time',
    rule: 'A result that is being written when the grace is over still has a few seconds.',
    file: 'process.ts',
    from: 'await pause(clock, LAST_WORD_MS, stopWatches.signal);',
    to: '',
    seenBy: { test: GRACE, title: 'a result that cannot be written either holds nobody up' },
  },
];

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
    seenBy: { test: HOSTILE_FLAGS, title: 'a password in any value is not repeated' },
  },
  {
    name: 'no-password-in-a-wrong-value',
    rule: 'A value that was refused is repeated only as far as no password can stand in it.',
    file: 'shown.ts',
    from: 'return JSON.stringify(most < named.length ?',
    to: 'return JSON.stringify(most < 0 ?',
    seenBy: {
      test: HOSTILE_FLAGS,
      title: 'a password in any value is not repeated',
    },
  },
  {
    name: 'text-of-a-file-is-not-shown',
    rule: 'Nothing is repeated of the text of a file, which may be a key, in the place of a value.',
    file: 'shown.ts',
    from: "if (isTextOfFile(text)) return '",
    to: "if (text === '') return '",
    seenBy: { test: HOSTILE_FLAGS, title: 'of the text of a file in the place of its path' },
  },
  {
    name: 'flag-ends-at-a-blank',
    rule: 'Nor where it is taken for a flag, as it begins with dashes.',
    file: 'config/command-line.ts',
    from: '/^-[^=:@\\s]{0,60}/',
    to: '/^-[^=:@]*/',
    seenBy: { test: HOSTILE_FLAGS, title: 'of the text of a file in the place of its path' },
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
    seenBy: { test: CONFIG, title: 'other shards have other ones' },
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
    from: 'return redactor.apply(text);',
    to: 'return text;',
    seenBy: { test: LOG, title: 'takes a secret out of fields and children' },
  },
  {
    name: 'names-are-not-redacted',
    rule: 'What a line of the log is about stays in it, whatever a tenant calls its key.',
    file: 'telemetry/logger.ts',
    from: 'NAMES.has(name) ? cut : clean',
    to: 'clean',
    seenBy: { test: LOG, title: 'leaves lines what they are about' },
  },
  {
    name: 'overlapping-secrets-go-together',
    rule: 'A secret that overlaps another uncovers no part of it.',
    file: 'redaction.ts',
    from: 'last.to = Math.max(last.to, Math.min(at + length, text.length));',
    to: 'at = (last.to = at + length) - 1;',
    seenBy: { test: LOG, title: 'uncovers no part of a secret by another one' },
  },
  {
    name: 'cut-after-redacting',
    rule: 'A text of the log is cut only once no secret is in it any more.',
    file: 'telemetry/logger.ts',
    from: 'cut(redacted(text, redactor))',
    to: 'redacted(cut(text), redactor)',
    seenBy: { test: LOG, title: 'what is long is cut, once no secret is in it any more' },
  },
  {
    name: 'secret-is-found-in-json',
    rule: 'A secret is found in the log as JSON spells it.',
    file: 'escapes.ts',
    from: 'text.includes(sign)',
    to: "sign !== '\\\\'",
    seenBy: { test: LOG, title: 'takes a secret out of fields and children' },
  },
  {
    name: 'clean-only-until-another-secret',
    rule: 'A text without a secret is looked at again once there is another one.',
    file: 'redaction.ts',
    from: 'this.#clean.clear();\n    const plain',
    to: 'const plain',
    seenBy: {
      test: 'test/unit/redaction.test.ts',
      title: 'a text that was clean is looked at again once another secret is known',
    },
  },
  {
    name: 'shared-secret-stays-guarded',
    rule: 'A secret is kept out of the log until its last holder lets go.',
    file: 'redaction.ts',
    from: 'if (known.holders > 0) return;',
    to: '',
    seenBy: { test: LOG, title: 'forgets a secret once its last holder lets go' },
  },
  {
    name: 'little-is-kept-of-a-secret',
    rule: 'What is kept to look for a secret does not grow with its length.',
    file: 'redaction.ts',
    from: 'const HEAD = 16;',
    to: 'const HEAD = 16_384;',
    seenBy: { test: REDACTION, title: 'a secret that is cut is found by its first 16 characters' },
  },
  {
    name: 'text-of-repetitions-is-given-up',
    rule: 'Nor does a text that says a long secret again and again take long.',
    file: 'redaction.ts',
    from: 'if (found > MOST_FOUND + 8 * text.length)',
    to: 'if (found < 0)',
    seenBy: { test: REDACTION, title: 'a text that says a key of 4,096 characters nearly' },
  },
  {
    name: 'no-slice-of-a-secret-is-kept',
    rule: 'Nor is the whole of it kept by a part.',
    file: 'redaction.ts',
    from: "Buffer.from(text.slice(0, HEAD), 'utf16le').toString('utf16le')",
    to: 'text.slice(0, HEAD)',
    seenBy: { test: REDACTION, title: 'what 1,000 keys of 4,096 characters take' },
  },
  {
    name: 'objects-are-not-logged',
    rule: 'An object, which may hold a header, never gets into the log.',
    file: 'telemetry/logger.ts',
    from: 'logger.child(onlyPlain(fields))',
    to: 'logger.child(fields)',
    seenBy: { test: LOG, title: 'never carries an object or the properties of an error' },
  },
  {
    name: 'bug-is-told-without-its-properties',
    rule: 'An error that nobody caught ends the process with one line and shows no header.',
    file: 'main.ts',
    from: "['unhandledRejection', 'uncaughtException'] as const",
    to: "['uncaughtException'] as const",
    seenBy: { test: 'test/unit/main.test.ts', title: 'a defect that nobody catches' },
  },
  {
    name: 'ready-only-with-its-lists',
    rule: '/readyz fails until everything has been listed.',
    file: 'telemetry/health-server.ts',
    from: 'judge(ready)',
    to: 'judge(live)',
    seenBy: { test: SERVER, title: 'readyz is 503 and names the check that fails' },
  },
];

export const PROCESS: readonly Mutation[] = [...ENDING, ...FLAGS, ...SAYING];
