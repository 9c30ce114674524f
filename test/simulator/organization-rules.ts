import { z } from 'zod';
import type { OrganizationBehaviour } from './manners.ts';

/** Why something is refused. */
export interface Objection {
  readonly status: number;
  readonly text: string;
}

const endpoint = z.strictObject({
  id: z.string().min(1),
  cloudProvider: z.string().min(1),
  region: z.string().min(1),
  description: z.string().exactOptional(),
});
const patch = z.strictObject({
  name: z.string().regex(/\S/).exactOptional(),
  privateEndpoints: z
    .strictObject({
      add: z.array(endpoint).exactOptional(),
      remove: z.array(endpoint).exactOptional(),
    })
    .exactOptional(),
});
export type Patch = z.infer<typeof patch>;

/** Why a body is refused before anything of it is done; undefined where it is not. */
export function objectionTo(
  body: unknown,
  { mostItems, emptyLists }: OrganizationBehaviour,
): Objection | undefined {
  const { success, error, data = {} } = patch.safeParse(body);
  if (!success) {
    const [issue] = error.issues;
    return { status: 400, text: `request body${at(issue?.path)}: ${issue?.message}` };
  }
  const { name, privateEndpoints } = data;
  const nothing = { status: 400, text: 'no fields to update' };
  if (name === undefined && privateEndpoints === undefined) return nothing;
  const { add = [], remove = [] } = privateEndpoints ?? {};
  const items = add.length + remove.length;
  if (items > mostItems)
    return { status: 400, text: `${items} private endpoints are more than ${mostItems}` };
  if (name !== undefined || items > 0) return undefined;
  return {
    ok: undefined,
    'bad-request': nothing,
    unprocessable: { ...nothing, status: 422 },
    'server-error': { status: 500, text: 'Internal error' },
  }[emptyLists];
}

function at(path: readonly PropertyKey[] = []): string {
  return path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
}
