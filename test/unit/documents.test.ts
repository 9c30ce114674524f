import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fencesIn, pageBlocks } from '../support/page.ts';

/** What cannot be had here, and how commands that need it are known. */
const NOT_HAD: Readonly<Record<string, RegExp>> = {
  Terraform: /^terraform /m,
  Velero: /^velero /m,
  cosign: /^cosign /m,
  Flux: /^flux /m,
  GitHub: /^(?:gh |git push )/m,
  'Sealed Secrets': /\bkubeseal /m,
  'a cloud account': /^(?:aws|gcloud) /m,
  'a container engine': /^(?:docker|podman) /m,
  'a node that runs Pods': /^helm test /m,
  'a published release': /^kubectl apply -k \.$/m,
  'nodes, and an image of curl': / run .* --image=curlimages\/curl/m,
  'the Prometheus operator': /\b(?:pod|service)monitors\b/m,
};

const PAGES = ['README.md', ...globSync('deploy/**/*.md')];
const TESTS = globSync('test/{unit,integration,packaging,gitops}/**/*.ts').map((file) =>
  readFileSync(file, 'utf8'),
);

describe.each(PAGES)('%s', (page) => {
  const text = readFileSync(page, 'utf8');
  const blocks = pageBlocks(page);

  test('has a test that runs its commands, if it has any', () => {
    const run = blocks.filter(({ notRun }) => notRun === undefined);
    const runners = TESTS.filter((source) => source.includes(`pageBlocks('${page}')`));
    expect(run.length === 0 || runners.length > 0).toBe(true);
  });

  test('says of a command that it is not run only where it needs what cannot be had here', () => {
    for (const { line, script, notRun } of blocks) {
      const needs = Object.keys(NOT_HAD).filter((name) => NOT_HAD[name]?.test(script));
      expect({ line, needs }).toEqual({ line, needs: notRun === undefined ? [] : [notRun] });
    }
  });

  test('has no command outside of the blocks that are run', () => {
    const command = /^(?:\$ )?(?:kubectl|helm|npm|node|git|curl|docker|argocd) /;
    const fenced = fencesIn(text).filter(({ language }) => !['sh', 'console'].includes(language));
    const indented = text.split('\n').filter((line) => line.startsWith('    '));
    const inFences = new Set(fencesIn(text).flatMap(({ lines }) => lines.map((l) => l.trim())));
    expect([
      ...fenced.flatMap(({ lines }) => lines.filter((line) => command.test(line))),
      ...indented.map((line) => line.trim()).filter((l) => command.test(l) && !inFences.has(l)),
    ]).toEqual([]);
  });
});
