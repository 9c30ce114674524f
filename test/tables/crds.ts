import { globSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { customResourceDefinition, kindSchema } from '../../crds/manifest.ts';

type Crd = ReturnType<typeof customResourceDefinition>;
export type Node = ReturnType<typeof kindSchema>['spec'];

/** As they are shipped: with their text, and the schema of their one version. */
export const CRDS = globSync('crds/*.yaml').map((path) => {
  const text = readFileSync(path, 'utf8');
  const { spec } = parse(text) as Crd;
  const [version] = spec.versions;
  if (!version) throw new Error(`${path} has no version`);
  const { required, properties } = version.schema.openAPIV3Schema;
  return { text, names: spec.names, required, ...(properties as Record<'spec' | 'status', Node>) };
});
