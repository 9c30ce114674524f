import type { Thing } from '../kubernetes/objects.ts';

export interface ListBody {
  readonly metadata: { readonly continue?: string; readonly resourceVersion: string };
  readonly items: readonly Thing[];
}

export function isListBody(says: unknown): says is ListBody {
  return typeof says === 'object' && says !== null && 'items' in says && Array.isArray(says.items);
}

export function isThing(says: unknown): says is Thing {
  return typeof says === 'object' && says !== null && 'metadata' in says;
}
