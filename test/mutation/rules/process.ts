import type { Mutation } from '../mutation.ts';

const CONFIG = 'test/tables/process/config.test.ts';
const CONFIG_SECRETS = 'test/tables/process/config-secrets.test.ts';
const MASKING = 'test/tables/process/masking.test.ts';
const PLAN = 'test/tables/plugin/plan.test.ts';

export const PROCESS: readonly Mutation[] = [
  {
    name: 'Everything that is wrong with the flags is said at once.',
    file: 'config/config.ts',
    from: '...line.problems,',
    to: '',
    seenBy: { test: CONFIG, title: 'of the command line, the environment, values' },
  },
  {
    name: 'A flag wins over the environment.',
    file: 'config/command-line.ts',
    from: '(given[name] ?? variable) || fallback',
    to: 'variable || given[name] || fallback',
    seenBy: { test: CONFIG, title: '"--api-in-flight=7" with' },
  },
  {
    name: 'A value that was refused is repeated only as far as no password can stand in it.',
    file: 'shown.ts',
    from: 'return JSON.stringify(most < named.length ?',
    to: 'return JSON.stringify(most < 0 ?',
    seenBy: { test: CONFIG_SECRETS, title: 'a password in any value is not repeated' },
  },
  {
    name: 'Processes that work on other namespaces do not wait for one another.',
    file: 'config/config.ts',
    from: 'if (selector === undefined && namespaces.length === 0)',
    to: 'if (selector === undefined)',
    seenBy: { test: CONFIG, title: 'is pipewright-642bf600 with' },
  },
  {
    name: 'In a cluster a leader is elected unless it is told otherwise.',
    file: 'config/config.ts',
    from: "texts['leaderElect'] ?? String(isInPod)",
    to: "texts['leaderElect'] ?? 'false'",
    seenBy: { test: CONFIG, title: '"" with {"KUBERNETES_SERVICE_HOST"' },
  },
  {
    name: 'A text of the log is cut only once no secret is in it any more.',
    file: 'telemetry/logger.ts',
    from: 'redact(value);',
    to: 'redact(value.slice(0, LONGEST_TEXT));',
    seenBy: { test: MASKING, title: 'is cut only once no key is in it' },
  },
  {
    name: 'A secret is found in base64, wherever it begins there.',
    file: 'telemetry/mask.ts',
    from: '[0, 1, 2, 3].some(',
    to: '[0].some(',
    seenBy: { test: MASKING, title: 'is hidden in base64 in a path' },
  },
  {
    name: 'A field that the schema does not have is a problem of its manifest.',
    file: 'cli/spec-problems.ts',
    from: 'const unknown = unknownFields(spec, data, []);',
    to: 'const unknown = [] as (readonly PropertyKey[])[];',
    seenBy: { test: PLAN, title: 'threads: 8 → threads: 8' },
  },
];
