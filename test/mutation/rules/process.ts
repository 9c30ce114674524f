import type { Mutation } from '../mutation.ts';

const CONFIG = 'test/tables/process/config.test.ts';
const CONFIG_SECRETS = 'test/tables/process/config-secrets.test.ts';
const MASKING = 'test/tables/process/masking.test.ts';

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
    name: 'no-password-in-a-wrong-value',
    rule: 'A value that was refused is repeated only as far as no password can stand in it.',
    file: 'shown.ts',
    from: 'return JSON.stringify(most < named.length ?',
    to: 'return JSON.stringify(most < 0 ?',
    seenBy: { test: CONFIG_SECRETS, title: 'a password in any value is not repeated' },
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
];

/** What leaves the process beside calls. */
const SAYING: readonly Mutation[] = [
  {
    name: 'cut-after-redacting',
    rule: 'A text of the log is cut only once no secret is in it any more.',
    file: 'telemetry/logger.ts',
    from: 'redact(value);',
    to: 'redact(value.slice(0, LONGEST_TEXT));',
    seenBy: { test: MASKING, title: 'is cut only once no key is in it' },
  },
  {
    name: 'secret-is-found-in-base64',
    rule: 'A secret is found in base64, wherever it begins there.',
    file: 'telemetry/mask.ts',
    from: '[0, 1, 2, 3].some(',
    to: '[0].some(',
    seenBy: { test: MASKING, title: 'is hidden in base64 in a path' },
  },
];

export const PROCESS: readonly Mutation[] = [...FLAGS, ...SAYING];
