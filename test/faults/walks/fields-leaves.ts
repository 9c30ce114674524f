import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Structural } from '../../../src/kinds/schema/structural.ts';
import { succeed } from '../../support/crd.ts';
import type { KindName } from '../../support/states.ts';

/** A field of a spec that has no fields of its own. */
export interface Leaf {
  readonly kind: KindName;
  /** `settings.engine_max_threads`, `privateEndpoints[].id`. */
  readonly path: string;
  readonly schema: Structural;
}

interface Crd {
  readonly spec: {
    readonly names: { readonly kind: KindName };
    readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: Structural } }[];
  };
}

/** Every leaf of the spec of every CRD under crds/, as it is delivered. */
export async function specLeaves(): Promise<Leaf[]> {
  const folder = fileURLToPath(new URL('../../../crds/', import.meta.url));
  const files = (await readdir(folder)).filter((file) => file.endsWith('.yaml'));
  const crds = await Promise.all(
    files.map(async (file) => {
      const printed = await succeed([
        'create',
        '--dry-run=client',
        '-o',
        'json',
        '-f',
        join(folder, file),
      ]);
      return JSON.parse(printed) as Crd;
    }),
  );
  return crds.flatMap(({ spec: { names, versions } }) =>
    versions.flatMap(({ schema }) =>
      leavesOf(schema.openAPIV3Schema.properties?.['spec'] ?? {}).map((leaf) => ({
        kind: names.kind,
        ...leaf,
      })),
    ),
  );
}

function leavesOf(schema: Structural, path = ''): Omit<Leaf, 'kind'>[] {
  if (schema.items) return leavesOf(schema.items, `${path}[]`);
  if (!schema.properties) return [{ path, schema }];
  return Object.entries(schema.properties).flatMap(([name, inner]) =>
    leavesOf(inner, path === '' ? name : `${path}.${name}`),
  );
}
