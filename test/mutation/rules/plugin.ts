import type { Mutation } from '../mutation.ts';

const MANIFESTS = 'test/unit/cli-manifests.test.ts';
const MARKDOWN = 'test/unit/cli-plan-markdown.test.ts';

/** What the plugin says that the operator would do, and how it shows what others have written. */
export const PLUGIN: readonly Mutation[] = [
  {
    name: 'forecast-waits-for-a-rival',
    rule: 'A plan says that it may have to wait where another object’s write has no known result.',
    file: 'kinds/engine/forecast.ts',
    from: 'isOther(rival) && mayBeAtWork(rival, now - lastsMs)',
    to: 'isOther(rival) && rivals.length < 0',
    seenBy: { test: 'test/unit/forecast-waits.test.ts', title: 'where a rival ' },
  },
  {
    name: 'rehearsal-removes',
    rule: 'A plan of an Organization goes on from what its own requests have changed.',
    file: 'kinds/organization/attempt/rehearsal.ts',
    from: '(list ?? []).filter((entry) => !isGone(entry))',
    to: '(list ?? [])',
    seenBy: {
      test: 'test/unit/organization-preview.test.ts',
      title:
        'what has to make room goes first, and what follows it is shown as a request of its own',
    },
  },
  {
    name: 'rehearsal-tries-what-was-refused',
    rule: 'What was refused before its time is in a plan, as every edit makes it due.',
    file: 'kinds/organization/attempt/rehearsal.ts',
    from: 'session: withRefusalsDue(begun.session)',
    to: 'session: begun.session',
    seenBy: {
      test: 'test/unit/organization-preview.test.ts',
      title:
        'what was refused is shown as sent before its time too, as the edit to Apply makes it due',
    },
  },
  {
    name: 'unknown-fields-are-told',
    rule: 'A field that the schema does not have is a problem of its manifest.',
    file: 'kinds/schema/definition.ts',
    from: 'result.success ? unknownFields(spec, result.data, []) : []',
    to: '[] as (readonly PropertyKey[])[]',
    seenBy: { test: MANIFESTS, title: 'a setting that is misspelt beside one that is not' },
  },
  {
    name: 'comments-hold-no-markup-of-others',
    rule: 'What others have written is no markup in a comment.',
    file: 'cli/plan/print-markdown.ts',
    from: ".replaceAll('<', '&lt;')",
    to: '',
    seenBy: {
      test: MARKDOWN,
      title: 'whatever others have written, it is no markup, and ends no fence',
    },
  },
  {
    name: 'fences-are-longer-than-what-they-hold',
    rule: 'A text of others ends no fence.',
    file: 'cli/plan/print-markdown.ts',
    from: "'`'.repeat(longest + 1)",
    to: "'`'.repeat(3)",
    seenBy: {
      test: MARKDOWN,
      title: 'whatever others have written, it is no markup, and ends no fence',
    },
  },
];
