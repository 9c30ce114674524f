import { parse } from 'yaml';
import { toYaml } from '../src/cli/yaml.ts';

/** Where the project is. */
const PROJECT = 'https://github.com/pipewright/pipewright';

interface Crd {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly names: { readonly kind: string };
    readonly versions: readonly {
      readonly name: string;
      readonly schema: { readonly openAPIV3Schema: { readonly description: string } };
    }[];
  };
}

export interface ChartSources {
  /** The chart and the operator have one version, that of package.json. */
  readonly version: string;
  /** Texts of YAML. */
  readonly crds: readonly string[];
  readonly examples: readonly string[];
  /** The address of the image, without a tag. */
  readonly image: string;
  readonly changelog: string;
}

/** Chart.yaml, with what Artifact Hub shows. */
export function chartFile(sources: ChartSources): string {
  const { version, crds, examples, image, changelog } = sources;
  const annotations = {
    'artifacthub.io/license': 'Apache-2.0',
    'artifacthub.io/operator': 'true',
    'artifacthub.io/crds': toYaml(crds.flatMap(describe)),
    'artifacthub.io/crdsExamples': toYaml(examples.map((text) => parse(text) as object)),
    'artifacthub.io/images': toYaml([{ name: 'pipewright', image: `${image}:${version}` }]),
    'artifacthub.io/changes': toYaml(changesOf(changelog)),
    'artifacthub.io/links': toYaml([
      { name: 'Install', url: `${PROJECT}/blob/main/deploy/guides/install.md` },
      { name: 'Upgrade', url: `${PROJECT}/blob/main/deploy/guides/upgrade.md` },
    ]),
  };
  return toYaml({
    apiVersion: 'v2',
    name: 'pipewright',
    description:
      'Manages pipe settings and organization private endpoints of a data platform from Git',
    type: 'application',
    version,
    appVersion: version,
    kubeVersion: '>=1.32.0-0',
    keywords: ['operator', 'gitops'],
    home: PROJECT,
    icon: `${PROJECT.replace('github.com', 'raw.githubusercontent.com')}/main/deploy/helm/icon.svg`,
    sources: [PROJECT],
    maintainers: [{ name: 'The Pipewright authors', url: PROJECT }],
    annotations,
  });
}

function describe(text: string): object[] {
  const { metadata, spec } = parse(text) as Crd;
  return spec.versions.map(({ name: version, schema }) => ({
    kind: spec.names.kind,
    version,
    name: metadata.name,
    displayName: spec.names.kind,
    description: schema.openAPIV3Schema.description,
  }));
}

/** The entries of the newest section, each as one line. */
function changesOf(changelog: string): string[] {
  const [, newest = ''] = changelog.split(/^## .*$/m);
  return newest
    .replaceAll(/^### .*$/gm, '')
    .split(/^- /m)
    .slice(1)
    .map((entry) => entry.replaceAll(/\s+/g, ' ').trim());
}
