import type { OrganizationBehaviour } from './organization-types.ts';

export interface Objection {
  readonly status: number;
  /** what follows the error code */
  readonly text: string;
}

const BODY_KEYS = new Set(['name', 'privateEndpoints']);
const LIST_KEYS = new Set(['add', 'remove']);
const ENDPOINT_KEYS = new Set(['id', 'description', 'cloudProvider', 'region']);

/** Why the shape of a PATCH body is refused; undefined when it is not. */
export function patchObjection(
  body: unknown,
  behaviour: OrganizationBehaviour,
): Objection | undefined {
  const text = shapeObjection(body, behaviour);
  if (text !== undefined) return { status: 400, text };
  if (behaviour.emptyLists === 'ok' || !asksNothing(body as Asked)) return undefined;
  if (behaviour.emptyLists === 'server-error') return { status: 500, text: 'Internal error' };
  return {
    status: behaviour.emptyLists === 'unprocessable' ? 422 : 400,
    text: 'no fields to update',
  };
}

interface Asked {
  readonly name?: string;
  readonly privateEndpoints?: {
    readonly add?: readonly unknown[];
    readonly remove?: readonly unknown[];
  };
}

function asksNothing({ name, privateEndpoints }: Asked): boolean {
  if (name !== undefined || privateEndpoints === undefined) return false;
  return itemsOf({ privateEndpoints }) === 0;
}

function itemsOf({ privateEndpoints }: Asked): number {
  return (privateEndpoints?.add ?? []).length + (privateEndpoints?.remove ?? []).length;
}

function shapeObjection(body: unknown, behaviour: OrganizationBehaviour): string | undefined {
  if (!isObject(body)) return 'request body is not an object';
  const unknown = Object.keys(body).find((key) => !BODY_KEYS.has(key));
  if (unknown !== undefined) return `unknown field '${unknown}'`;
  const { name, privateEndpoints } = body;
  if (name === undefined && privateEndpoints === undefined) {
    return behaviour.emptyBody === 'ok' ? undefined : 'no fields to update';
  }
  if (name !== undefined && (typeof name !== 'string' || name.trim() === '')) {
    return `request body.name value is not a name: ${JSON.stringify(name)}`;
  }
  if (typeof name === 'string' && name.length > behaviour.longestName) {
    return `request body.name value is too long: ${name.length} > ${behaviour.longestName}`;
  }
  if (privateEndpoints === undefined) return undefined;
  if (!isObject(privateEndpoints)) return 'request body.privateEndpoints value is not an object';
  const other = Object.keys(privateEndpoints).find((key) => !LIST_KEYS.has(key));
  if (other !== undefined) return `unknown field 'privateEndpoints.${other}'`;
  const items = itemsOf({ privateEndpoints });
  if (items > behaviour.mostItems)
    return `request has ${items} private endpoints, more than ${behaviour.mostItems}`;
  for (const part of LIST_KEYS) {
    const list = privateEndpoints[part] ?? [];
    if (!Array.isArray(list)) return `request body.privateEndpoints.${part} value is not an array`;
    for (const [index, entry] of list.entries()) {
      const problem = endpointObjection(entry);
      if (problem !== undefined) return `request body.privateEndpoints.${part}[${index}]${problem}`;
    }
  }
  return undefined;
}

function endpointObjection(entry: unknown): string | undefined {
  if (!isObject(entry)) return ' value is not an object';
  const unknown = Object.keys(entry).find((key) => !ENDPOINT_KEYS.has(key));
  if (unknown !== undefined) return ` has the unknown field '${unknown}'`;
  for (const key of ['id', 'cloudProvider', 'region']) {
    const value = entry[key];
    if (typeof value !== 'string' || value === '')
      return `.${key} value is not a string: ${JSON.stringify(value)}`;
  }
  const { description } = entry;
  if (description !== undefined && typeof description !== 'string') {
    return `.description value is not a string: ${JSON.stringify(description)}`;
  }
  return undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
