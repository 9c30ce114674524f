import type { Context, Outcome } from '../command.ts';
import type { Kubectl } from '../kubectl.ts';
import { type Found, getObjects, type ScopeFlags } from '../objects.ts';
import { stateOf } from '../state.ts';
import { counted } from '../words.ts';
import { type Finding, fine, seen } from './findings.ts';
import { checkCrds, checkLease, serviceAccountIn } from './operator.ts';
import { checkRights } from './rights.ts';
import { checkSecrets, secretUses } from './secrets.ts';

interface CheckFlags extends ScopeFlags {
  readonly operatorNamespace: string;
}

/** Looks for what is wrong with the installation; it repairs nothing. */
export async function runCheck(
  { kubectl, now }: Context,
  _names: readonly string[],
  flags: CheckFlags,
): Promise<Outcome> {
  const { operatorNamespace } = flags;
  const crds = await seen('CRDs', () => checkCrds(kubectl));
  const lease = await seen('The Lease', () => checkLease(kubectl, operatorNamespace, now()));
  // Without the CRDs there is no object to look at.
  const areThere = crds.every(({ type }) => type !== 'problem');
  const found = [...crds, ...lease, ...(areThere ? await ofObjects(kubectl, flags) : [])];
  const [problems, unknown] = (['problem', 'unseen'] as const).map(
    (type) => found.filter((one) => one.type === type).length,
  );
  const lines = found.map(({ type, message }) => `${MARKS[type].padEnd(9)}${message}`);
  const sum = `${counted(problems ?? 0, 'problem')} found, ${unknown} unknown.`;
  // Else a user without any right would be told that all is well.
  const nothing =
    'error: nothing could be read from the cluster; ask its administrator for the rights that the lines above name';
  if (unknown === found.length) return { lines, notes: [nothing], code: 1 };
  return { lines: [...lines, sum], code: problems === 0 ? 0 : 2 };
}

const MARKS = { fine: 'ok', note: 'note', problem: 'PROBLEM', unseen: 'unknown' } as const;

async function ofObjects(kubectl: Kubectl, flags: CheckFlags): Promise<readonly Finding[]> {
  let objects: readonly Found[] = [];
  const counts = await seen('The objects', async () => {
    objects = await getObjects(kubectl, [], flags);
    return [countsOf(objects)];
  });
  const uses = secretUses(objects);
  const rights = await seen('The operator’s rights', async () =>
    checkRights(kubectl, {
      serviceAccount: await serviceAccountIn(kubectl, flags.operatorNamespace),
      operatorNamespace: flags.operatorNamespace,
      namespaces: [...new Set(objects.map(({ object }) => object.metadata.namespace))],
      uses,
    }),
  );
  return [...rights, ...(await checkSecrets(kubectl, uses)), ...counts];
}

/** `12 objects: 9 Applied, 2 Rejected`; one that is not Ready is no problem of the installation. */
function countsOf(found: readonly Found[]): Finding {
  const states = found.map(({ object }) => stateOf(object));
  const reasons = Map.groupBy(states, ({ reason }) => reason);
  const areFine = states.every(({ state }) => ['Ready', 'Planned', 'Suspended'].includes(state));
  const parts = [...reasons]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([reason, some]) => `${some.length} ${reason}`);
  const sum = `${counted(found.length, 'object')}${parts.length > 0 ? ': ' : ''}${parts.join(', ')}`;
  return areFine ? fine(sum) : { type: 'note', message: `${sum}; see kubectl pipewright status` };
}
