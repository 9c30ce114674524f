import type { Mutation } from '../mutation.ts';

const PLAN = 'test/tables/plugin/plan.test.ts';

/** What the plugin says that the operator would do, and how it shows what others have written. */
export const PLUGIN: readonly Mutation[] = [
  {
    name: 'unknown-fields-are-told',
    rule: 'A field that the schema does not have is a problem of its manifest.',
    file: 'cli/spec-problems.ts',
    from: 'const unknown = unknownFields(spec, data, []);',
    to: 'const unknown = [] as (readonly PropertyKey[])[];',
    seenBy: { test: PLAN, title: 'threads: 8 → threads: 8' },
  },
];
