import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asAdmin, change } from './cluster.ts';
import type { Org } from './organizations.ts';
import type { Pset } from './scene-objects.ts';

/**
 * An object as the first version left it. Ids and times are made equal, hashes are noughts; see
 * README.md beside it.
 */
export interface Kept<T extends Pset = Pset> {
  readonly metadata: {
    readonly name: string;
    readonly generation: number;
    readonly finalizers?: readonly string[];
    readonly deletionTimestamp?: string;
  };
  readonly spec: T['spec'];
  readonly status: T['status'];
}

export const keptOrganizations = (): Kept<Org>[] => read('organizations.json') as Kept<Org>[];
export const keptPipeSettings = (): Kept[] => read('pipe-settings.json') as Kept[];

const TIME = '2026-03-01T12:00:00Z';

function read(file: string): unknown {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'first-version', file), 'utf8'));
}

/**
 * Stores the object as it was, with status and generation, and what it says happened `agoMs` ago;
 * `spec` is put over its own. One that was being deleted is being deleted again.
 */
export async function restore(
  collection: string,
  { metadata, ...kept }: Kept,
  given: { readonly spec: object; readonly agoMs: number; readonly name?: string },
): Promise<void> {
  const { name = metadata.name } = given;
  const { generation, finalizers = [], deletionTimestamp } = metadata;
  const kind = collection.endsWith('/organizations') ? 'Organization' : 'PipeSettings';
  const path = `${collection}/${name}`;
  const spec: Record<string, unknown> = { ...kept.spec, ...given.spec };
  const isEdited = generation > 1 && !deletionTimestamp;
  await asAdmin('POST', collection, {
    apiVersion: 'pipewright.dev/v1alpha1',
    kind,
    metadata: { name, finalizers },
    spec: isEdited ? { ...spec, suspend: spec['suspend'] !== true } : spec,
  });
  if (isEdited) await change(path, (stored) => ({ ...stored, spec }));
  const then = `${new Date(Date.now() - given.agoMs).toISOString().slice(0, 19)}Z`;
  const status: unknown = JSON.parse(JSON.stringify(kept.status).replaceAll(TIME, then));
  const stored = await asAdmin<object>('GET', path);
  await asAdmin('PUT', `${path}/status`, { ...stored, status });
  if (deletionTimestamp) await asAdmin('DELETE', path);
}
