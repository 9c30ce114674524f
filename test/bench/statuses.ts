import { setTimeout as pause } from 'node:timers/promises';
import { fillNamespace, isSettled, type Pset, psetPath } from './objects.ts';
import type { Program } from './processes.ts';
import type { Stage } from './stage.ts';

/** Resolves when this operator has written that the present spec is in force. */
export async function settled(
  stage: Stage,
  {
    namespace,
    name,
    by,
  }: { readonly namespace: string; readonly name: string; readonly by: Program },
): Promise<Pset> {
  for (;;) {
    by.mustRun();
    const object = await stage.ask<Pset>('GET', psetPath(namespace, name));
    if (isSettled(object)) return object;
    await pause(10);
  }
}

/** A status as the operator writes it, for those to write that it is compared with. */
export async function exampleStatus(stage: Stage): Promise<object> {
  const namespace = 'example';
  const [name = ''] = await fillNamespace(stage, { namespace, objects: 1 });
  const operator = stage.startOperator({ namespace });
  const { status } = await settled(stage, { namespace, name, by: operator });
  await operator.stop();
  return status ?? {};
}

/**
 * When the API server answered the last of so many writes of a status; undefined while there are
 * fewer. From its audit log, so that nobody watches while it is measured. Epoch ms.
 */
export async function lastStatus(
  stage: Stage,
  namespace: string,
  objects: number,
): Promise<number | undefined> {
  const writes = (await stage.controlPlane.audit()).filter(
    (entry) =>
      entry.namespace === namespace && entry.subresource === 'status' && entry.code === 200,
  );
  if (writes.length > objects)
    throw new Error(`${writes.length} status writes for ${objects} objects in ${namespace}`);
  if (writes.length < objects) return undefined;
  return writes.reduce((last, { completed }) => Math.max(last, completed), 0);
}
