import packageJson from '../../../package.json' with { type: 'json' };
import type { Made } from '../../bundle/bundles.ts';
import { ARCHITECTURES } from '../image/base.ts';
import { IMAGE } from '../image/config.ts';
import { cyclonedx } from './cyclonedx.ts';
import { partsOfBase, partsOfBundles } from './parts.ts';
import { spdx } from './spdx.ts';
import type { Subject } from './subject.ts';

/** By the names of their files. The day is that of the release; without one they have none that means anything. */
export function bills(made: readonly Made[], date = '1970-01-01'): [string, string][] {
  const { version } = packageJson;
  const common = { version, created: `${date}T00:00:00Z` };
  const plugin = made.filter(({ bundle }) => bundle.isProgram);
  const subjects: Subject[] = [
    {
      ...common,
      name: 'kubectl-pipewright',
      kind: 'application',
      purl: `pkg:generic/kubectl-pipewright@${version}`,
      parts: partsOfBundles(plugin),
    },
    ...ARCHITECTURES.map(
      (architecture): Subject => ({
        ...common,
        name: `pipewright-image-${architecture}`,
        kind: 'container',
        purl: `pkg:oci/pipewright@${version}?arch=${architecture}&repository_url=${IMAGE}`,
        parts: [...partsOfBase(architecture), ...partsOfBundles(made)],
      }),
    ),
  ];
  return subjects.flatMap((subject): [string, string][] => [
    [`${subject.name}-${version}.cdx.json`, cyclonedx(subject)],
    [`${subject.name}-${version}.spdx.json`, spdx(subject)],
  ]);
}
