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
  {
    name: 'comments-hold-no-markup-of-others',
    rule: 'What others have written is no markup in a comment.',
    file: 'cli/plan/markdown.ts',
    from: ".replaceAll('<', '&lt;')",
    to: '',
    seenBy: {
      test: PLAN,
      title: 'whatever others have written, it is no markup, and ends no fence',
    },
  },
  {
    name: 'fences-are-longer-than-what-they-hold',
    rule: 'A text of others ends no fence.',
    file: 'cli/plan/markdown.ts',
    from: "'`'.repeat(Math.max(2, ...runs) + 1)",
    to: "'`'.repeat(3)",
    seenBy: {
      test: PLAN,
      title: 'whatever others have written, it is no markup, and ends no fence',
    },
  },
];
