import { complaintOf, type Kubectl, KubectlError } from '../kubectl.ts';
import { type Found, fullName } from '../objects.ts';

/** What was asked for, and the field of the status in which the operator answers. */
export interface Asked {
  readonly found: Found;
  readonly answer: {
    readonly field: 'lastHandledReconcileAt' | 'observedGeneration';
    readonly value: string;
  };
}

/** Until every one is answered or the time is over; who has answered is read afterwards. */
export async function waitFor(
  kubectl: Kubectl,
  asked: readonly Asked[],
  timeout: string,
): Promise<void> {
  const groups = Map.groupBy(asked, ({ found, answer }) =>
    JSON.stringify([found.object.metadata.namespace, answer]),
  );
  await Promise.all([...groups.values()].map((group) => waitForGroup(kubectl, group, timeout)));
}

async function waitForGroup(
  kubectl: Kubectl,
  group: readonly Asked[],
  timeout: string,
): Promise<void> {
  const [first] = group;
  if (!first) return;
  const { field, value } = first.answer;
  const args = [
    'wait',
    ...group.map(({ found }) => `${fullName(found.definition)}/${found.object.metadata.name}`),
    ...['-n', first.found.object.metadata.namespace],
    `--for=jsonpath={.status.${field}}=${value}`,
    `--timeout=${timeout}`,
  ];
  const ran = await kubectl.run(args);
  if (ran.code !== 0 && !ran.stderr.includes('timed out'))
    throw new KubectlError(complaintOf(ran, args));
}
