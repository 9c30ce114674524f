import type { Tuple } from '../../src/kinds/organization/endpoints.ts';

/** The body of a PATCH of an organization. */
export interface Body {
  readonly name?: string;
  readonly privateEndpoints?: {
    readonly add?: readonly Tuple[];
    readonly remove?: readonly Tuple[];
  };
}

/** `+a` and `-b` for each endpoint. */
export function changes(change: Body['privateEndpoints'] = {}): string[] {
  const { add = [], remove = [] } = change;
  return [...add.map(({ id }) => `+${id}`), ...remove.map(({ id }) => `-${id}`)];
}

/** `observe`, `name Acme` or `+a -b`. */
export function shortly({ name, privateEndpoints }: Body): string {
  return name === undefined ? changes(privateEndpoints).join(' ') || 'observe' : `name ${name}`;
}
