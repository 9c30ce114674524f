interface Named {
  readonly kind: string;
  readonly metadata: { readonly namespace: string; readonly name: string };
}
type Id = { readonly id: string };

export const idOf = ({ kind, metadata: { namespace, name } }: Named) =>
  `${kind}/${namespace}/${name}`;
export const keyIn = (id: string) => id.slice(id.indexOf('/') + 1);

/** As it is on the wire: JSON has no undefined. */
export function wire<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** `+a` and `-b` for each endpoint. */
export function changed(change: { add?: readonly Id[]; remove?: readonly Id[] }): string[] {
  const { add = [], remove = [] } = change;
  return [...add.map(({ id }) => `+${id}`), ...remove.map(({ id }) => `-${id}`)];
}

export function declaredIn(body: string | undefined): Record<string, unknown> {
  return body === undefined ? { id: 'record' } : (JSON.parse(body) as Record<string, unknown>);
}
