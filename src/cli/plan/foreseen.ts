import { FLAGS } from '../../config/flag-table.ts';
import type { Flag } from '../../config/flags.ts';
import { parseDuration } from '../../duration.ts';
import { type Forecast, stopped, type World } from '../../kinds/engine/forecast.ts';
import { forecasters } from '../../kinds/forecasts.ts';
import { soundStatus } from '../../kinds/schema/sound.ts';
import { secretNameOf } from '../../kinds/status/tried-secret.ts';
import type { KubeObject } from '../../kube/resource.ts';
import type { Found } from '../cluster/objects.ts';
import type { Manifest } from '../manifests/manifests.ts';
import type { Absence, PlannedObject } from './planned.ts';

/** The operator's own value is known to it alone; the default of the flag stands for it. */
function defaultMs(flag: 'api-timeout' | 'cleanup-deadline'): number {
  const ms = parseDuration(
    (FLAGS as readonly Flag[]).find(({ name }) => name === flag)?.default ?? '',
  );
  if (ms === undefined) throw new Error(`--${flag} has no default`);
  return ms;
}

/** The operator as it is there, or is taken to be. */
export interface Setting {
  readonly baseUrl: string;
  readonly planOnly: boolean;
  readonly now: number;
}

/** A manifest with what the API server would store for it. */
export interface Applied {
  readonly manifest: Manifest;
  readonly object: KubeObject;
  readonly isNew: boolean;
  readonly setting: Setting;
  readonly remarks: readonly string[];
}

/**
 * What becomes of each once all are applied: so two new ones for one target are seen to contend.
 */
export function foreseen(
  given: readonly Applied[],
  live: readonly Found[],
): readonly PlannedObject[] {
  const applied = given.map(inOrder);
  const everything = after(applied, live);
  return applied.map(({ manifest, object, isNew, setting, remarks }) => {
    const found = { definition: manifest.definition, object };
    return {
      ...subject(manifest),
      problems: [],
      forecast: forecaster(manifest).forecast(object, world(setting, found, everything)),
      isNew,
      remarks: [...remarks, ...(isNew ? twinRemark(found, everything) : [])],
    };
  });
}

/** What is new has a uid by chance, and the first of two is told by it. */
function inOrder(one: Applied, index: number): Applied {
  const { definition } = one.manifest;
  const object = sound({ definition, object: one.object }).object;
  if (!one.isNew) return { ...one, object };
  const uid = `${NEW}${String(index).padStart(6, '0')}`;
  return { ...one, object: { ...object, metadata: { ...object.metadata, uid } } };
}

const NEW = 'new ';

/** Objects that are made within a second have no order that anybody could foretell. */
function twinRemark(found: Found, { rivals }: Everything): readonly string[] {
  if (forecaster(found).targetOf(found.object) === undefined) return [];
  const { uid } = found.object.metadata;
  const twins = (rivals.get(rivalKey(found)) ?? []).filter(
    ({ metadata }) => metadata.uid !== uid && metadata.uid.startsWith(NEW),
  );
  if (twins.length === 0) return [];
  const names = twins.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).join(', ');
  return [
    `${names} is new too and for the same target, so only one of them is sent; which one is tried first is not certain. Remove one of them`,
  ];
}

/** What the deletion of these does, once the manifests are applied. */
export function foreseenAbsences(
  gone: readonly { readonly found: Found; readonly setting: Setting | undefined }[],
  applied: readonly Applied[],
  live: readonly Found[],
): readonly Absence[] {
  const everything = after(applied, live);
  return gone.map(({ found: { definition, object }, setting }) => ({
    definition,
    namespace: object.metadata.namespace,
    name: object.metadata.name,
    forecast: setting
      ? forecaster({ definition }).forecastDeletion(
          object,
          world(setting, { definition, object }, everything),
        )
      : workedOnByNobody(object.metadata.namespace),
  }));
}

export function workedOnByNobody(namespace: string): Forecast {
  return stopped(
    `No operator works on namespace ${namespace} with these labels (--namespaces, --selector), so nothing is sent`,
  );
}

export function subject({ definition, namespace, name, place }: Manifest) {
  return { definition, namespace, name, place };
}

/** Who may contend with an object, and who shares its key. */
interface Everything {
  /** By kind and target. */
  readonly rivals: ReadonlyMap<string, readonly KubeObject[]>;
  /** By namespace and Secret. */
  readonly sharing: ReadonlyMap<string, readonly KubeObject[]>;
}

function after(applied: readonly Applied[], live: readonly Found[]): Everything {
  const written = new Set(applied.map(({ object }) => object.metadata.uid));
  const all: readonly Found[] = [
    ...live.filter(({ object }) => !written.has(object.metadata.uid)).map(sound),
    ...applied.map(({ manifest, object }) => ({ definition: manifest.definition, object })),
  ];
  return {
    rivals: grouped(all, rivalKey),
    sharing: grouped(all, sharingKey),
  };
}

/** Of a status only what its schema takes counts, as for the operator. */
function sound({ definition, object }: Found): Found {
  const status = soundStatus(definition.status)(object.status);
  return { definition, object: { ...object, ...(status && { status }) } };
}

function rivalKey({ definition, object }: Found): string {
  return JSON.stringify([definition.type.kind, forecaster({ definition }).targetOf(object)]);
}

function sharingKey({ object }: Found): string {
  return JSON.stringify([object.metadata.namespace, secretNameOf(object)]);
}

function grouped(
  all: readonly Found[],
  keyOf: (found: Found) => string,
): ReadonlyMap<string, readonly KubeObject[]> {
  const groups = new Map<string, KubeObject[]>();
  for (const found of all) {
    const key = keyOf(found);
    const group = groups.get(key);
    if (group) group.push(found.object);
    else groups.set(key, [found.object]);
  }
  return groups;
}

function world(setting: Setting, found: Found, { rivals, sharing }: Everything): World {
  return {
    ...setting,
    apiTimeoutMs: defaultMs('api-timeout'),
    cleanupDeadlineMs: defaultMs('cleanup-deadline'),
    others: rivals.get(rivalKey(found)) ?? [],
    all: sharing.get(sharingKey(found)) ?? [],
  };
}

function forecaster({ definition: { type } }: Pick<Manifest, 'definition'>) {
  const found = forecasters[type.kind];
  if (!found) throw new Error(`there is no forecast for the kind ${type.kind}`);
  return found;
}
