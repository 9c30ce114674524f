import { REQUESTED_AT } from '../../kinds/status/common-status.ts';
import type { KubeObject } from '../../kube/resource.ts';
import type { Kubectl } from '../kubectl.ts';
import { type Found, fullName, getObjects, type ScopeFlags, shortNameOf } from '../objects.ts';
import type { Context, Outcome } from '../program.ts';
import { stateOf } from '../state.ts';
import { UserError } from '../user-error.ts';
import { counted } from '../words.ts';
import { type Asked, waitFor } from './waiting.ts';

type Verb = 'retry' | 'suspend' | 'resume';

export interface RequestFlags extends ScopeFlags {
  readonly wait?: boolean;
  /** As `kubectl wait` takes it. */
  readonly timeout: string;
}

/** Asks the operator for something by a patch of each object. */
export async function runRequest(
  verb: Verb,
  { kubectl, now }: Context,
  names: readonly string[],
  flags: RequestFlags,
): Promise<Outcome> {
  if (names.length === 0 && flags.selector === undefined && flags.allNamespaces !== true)
    throw new UserError(
      `say what to ${verb}: names such as pset/orders, labels with -l, or every object with -A`,
    );
  const found = await getObjects(kubectl, names, flags);
  if (found.length === 0)
    throw new UserError(`nothing to ${verb}: no object is there; kubectl pipewright status -A`);
  const value = new Date(now()).toISOString();
  const asked = await patchAll(kubectl, found, { verb, value });
  const notes = warnings(verb, found);
  if (flags.wait !== true)
    return {
      lines: asked.map(({ found: one }) => `${titleOf(one)}: ${DONE[verb]}`),
      notes,
      code: 0,
    };
  await waitFor(kubectl, asked, flags.timeout);
  const after = await readAgain(kubectl, asked);
  const late = after.filter(({ isAnswered }) => !isAnswered);
  const lines = after.map(
    ({ title, isAnswered, object }) =>
      `${title}: ${isAnswered ? cameOut(object) : 'no answer yet'}`,
  );
  if (late.length === 0) return { lines, notes, code: 0 };
  const error = `error: ${counted(late.length, 'object')} of ${after.length} had no answer in ${flags.timeout}; is the operator there? kubectl pipewright check`;
  return { lines, notes: [...notes, error], code: 1 };
}

const DONE = {
  retry: 'asked to be tried now',
  suspend: 'suspended; a call that is in flight still ends',
  resume: 'resumed',
} as const satisfies Readonly<Record<Verb, string>>;

function titleOf(found: Found): string {
  return `${shortNameOf(found)} in ${found.object.metadata.namespace}`;
}

/** So many names stand on one command line. */
const AT_ONCE = 100;

async function patchAll(
  kubectl: Kubectl,
  found: readonly Found[],
  { verb, value }: { readonly verb: Verb; readonly value: string },
): Promise<readonly Asked[]> {
  const patch =
    verb === 'retry'
      ? { metadata: { annotations: { [REQUESTED_AT]: value } } }
      : { spec: { suspend: verb === 'suspend' ? true : null } };
  const asked: Asked[] = [];
  for (const some of batches(found)) {
    const [first] = some;
    const args = [
      'patch',
      ...some.map((one) => `${fullName(one.definition)}/${one.object.metadata.name}`),
      ...['-n', first?.object.metadata.namespace ?? '', '--type=merge'],
      ...['-p', JSON.stringify(patch), '-o', 'jsonpath={.metadata.generation}{"\\n"}'],
    ];
    const generations = (await kubectl.succeed(args)).trim().split('\n');
    for (const [at, one] of some.entries())
      asked.push({
        found: one,
        answer:
          verb === 'retry'
            ? { field: 'lastHandledReconcileAt', value }
            : { field: 'observedGeneration', value: generations[at] ?? '' },
      });
  }
  return asked;
}

/** Each of one namespace. */
function batches(found: readonly Found[]): readonly (readonly Found[])[] {
  const all = Map.groupBy(found, ({ object }) => object.metadata.namespace);
  return [...all.values()].flatMap((some) =>
    Array.from({ length: Math.ceil(some.length / AT_ONCE) }, (_, at) =>
      some.slice(at * AT_ONCE, (at + 1) * AT_ONCE),
    ),
  );
}

interface After {
  readonly title: string;
  readonly object: KubeObject;
  readonly isAnswered: boolean;
}

async function readAgain(kubectl: Kubectl, asked: readonly Asked[]): Promise<readonly After[]> {
  const after: After[] = [];
  for (const some of batches(asked.map(({ found }) => found))) {
    const namespace = some[0]?.object.metadata.namespace ?? '';
    const names = some.map(shortNameOf);
    for (const one of await getObjects(kubectl, names, { namespace })) {
      const { answer } = asked.find(({ found }) => isSame(found, one)) ?? {};
      const status = (one.object.status ?? {}) as Readonly<Record<string, unknown>>;
      const isAnswered = answer !== undefined && String(status[answer.field]) === answer.value;
      after.push({ title: titleOf(one), object: one.object, isAnswered });
    }
  }
  return after;
}

function isSame(a: Found, b: Found): boolean {
  return a.object.metadata.uid === b.object.metadata.uid;
}

function cameOut(object: KubeObject): string {
  const { state, reason, message } = stateOf(object);
  return `${state} (${reason}). ${message}`;
}

/** The marks that each tool leaves on what it applies. */
const GIT_TOOLS = {
  'Argo CD': ['argocd.argoproj.io/instance', 'argocd.argoproj.io/tracking-id'],
  Flux: ['kustomize.toolkit.fluxcd.io/name', 'helm.toolkit.fluxcd.io/name'],
} as const;

function warnings(verb: Verb, found: readonly Found[]): readonly string[] {
  if (verb === 'retry')
    return found
      .filter(({ object }) => (object.spec as { readonly suspend?: boolean }).suspend === true)
      .map((one) => `warning: ${titleOf(one)} is suspended, so nothing is sent: resume it`);
  return Object.entries(GIT_TOOLS).flatMap(([tool, marks]) => {
    const managed = found.filter(({ object: { metadata } }) =>
      marks.some((mark) => mark in { ...metadata.labels, ...metadata.annotations }),
    );
    const names = managed.map(titleOf).join(', ');
    return managed.length === 0
      ? []
      : [`warning: ${tool} manages ${names} and will undo this; set spec.suspend in Git too`];
  });
}
