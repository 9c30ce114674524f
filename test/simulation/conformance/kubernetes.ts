import { builtInCases } from './kubernetes-built-in.ts';
import { creationCases } from './kubernetes-creation.ts';
import { deletionCases } from './kubernetes-deletion.ts';
import { listCases } from './kubernetes-lists.ts';
import { patchCases } from './kubernetes-patches.ts';
import { rightsCases } from './kubernetes-rights.ts';
import type { Open } from './kubernetes-under-test.ts';
import { watchCases } from './kubernetes-watches.ts';
import { writeCases } from './kubernetes-writes.ts';

/**
 * What an API server does, as far as the operator and its users can tell: tried on a real one and
 * on the simulated one alike.
 */
export function kubernetesCases(open: Open): void {
  creationCases(open);
  writeCases(open);
  patchCases(open);
  deletionCases(open);
  builtInCases(open);
  listCases(open);
  watchCases(open);
  rightsCases(open);
}
