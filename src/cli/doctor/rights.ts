import { createHash } from 'node:crypto';
import { keyOf } from '../../kube/resource.ts';
import type { Kubectl } from '../cluster/kubectl.ts';
import type { Shell } from '../shell.ts';
import type { Working } from './coverage.ts';
import { operatorName } from './leading.ts';
import {
  RIGHTS_ON_EVENTS,
  RIGHTS_ON_OBJECTS,
  RIGHTS_ON_SECRETS,
  type Right,
  rightsOnLease,
} from './needed-rights.ts';
import { attempt, type Finding, type Report } from './report.ts';
import type { SecretUse } from './secrets.ts';
import { grouped, listed } from './words.ts';

/** Something that is asked for: a right on one resource, with one verb. */
interface Question {
  /** Absent: in all namespaces. */
  readonly namespace?: string;
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  readonly name?: string;
}

/** Asks the API server what the operator's ServiceAccount may do, and puts down what it may not. */
export async function checkRights(
  operator: Working,
  options: {
    readonly kubectl: Kubectl;
    readonly report: Report;
    readonly shell: Shell;
    readonly secrets: readonly SecretUse[];
  },
): Promise<void> {
  const { kubectl, report, shell, secrets } = options;
  const { deployment, leaseAt } = operator;
  const name = operatorName(operator);
  // As which user another one works is not known.
  if (!deployment) return;
  report.made('rights');
  if (deployment.flags?.isElsewhere) {
    const why = 'has a kubeconfig of its own, so it is not known as which user it works';
    report.cannot('rights', `${name} ${why}.`);
    return;
  }
  const account = `${deployment.namespace}:${deployment.serviceAccount}`;
  const missingOf = (questions: readonly Question[]): Promise<readonly Question[]> =>
    reviewed(kubectl, account, questions);
  const asked = await attempt(async () => {
    const everywhere = operator.works.namespaces;
    const places = everywhere.length === 0 ? [undefined] : everywhere;
    const onSecrets = places.flatMap((place) => questionsOf(RIGHTS_ON_SECRETS, place));
    const missing = await missingOf([
      ...places.flatMap((place) =>
        [...RIGHTS_ON_OBJECTS, RIGHTS_ON_EVENTS].flatMap((right) => questionsOf(right, place)),
      ),
      ...onSecrets,
      ...(leaseAt
        ? rightsOnLease(leaseAt.name).flatMap((right) => questionsOf(right, leaseAt.namespace))
        : []),
    ]);
    const isOnSecrets = (one: Question): boolean => one.resource === 'secrets';
    const onAll = missing.filter(isOnSecrets);
    const rest = missing.filter((one) => !isOnSecrets(one));
    if (onAll.length === 0) return rest;
    // The rule may name the Secrets that objects refer to; then no other counts.
    const named = onNamed(secrets, operator);
    if (named.length === 0) report.cannot('rights', unnamedSecrets(name, onAll));
    return [...rest, ...(await missingOf(named))];
  });
  if ('refusal' in asked) {
    report.cannot('rights', `What ${account} may do could not be asked: ${asked.refusal.message}`);
    return;
  }
  for (const questions of grouped(asked.value, resourceOf))
    report.find(findingOf(questions, { name, account, shell }), operator);
}

function questionsOf(
  { group, resources, verbs, name }: Right,
  namespace: string | undefined,
): Question[] {
  return resources.flatMap((resource) =>
    verbs.map((verb) => ({
      group,
      resource,
      verb,
      ...(namespace !== undefined && { namespace }),
      ...(name !== undefined && { name }),
    })),
  );
}

function onNamed(secrets: readonly SecretUse[], { works }: Working): Question[] {
  const places = new Map(
    secrets
      .filter(
        ({ namespace }) => works.namespaces.length === 0 || works.namespaces.includes(namespace),
      )
      .map((one) => [keyOf({ metadata: one }), one]),
  );
  return [...places.values()].flatMap(({ namespace, name }) =>
    questionsOf({ ...RIGHTS_ON_SECRETS, name }, namespace),
  );
}

/** What of it the ServiceAccount may not do; all are asked by one kubectl. */
async function reviewed(
  kubectl: Kubectl,
  account: string,
  questions: readonly Question[],
): Promise<readonly Question[]> {
  if (questions.length === 0) return [];
  const user = `system:serviceaccount:${account}`;
  const [namespace = ''] = account.split(':');
  const groups = [
    'system:serviceaccounts',
    `system:serviceaccounts:${namespace}`,
    'system:authenticated',
  ];
  const items = questions.map(({ resource: path, ...question }) => {
    const [resource, subresource] = path.split('/');
    return {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: { user, groups, resourceAttributes: { ...question, resource, subresource } },
    };
  });
  const answers = await kubectl.succeed(
    ['create', '--validate=false', '-o', String.raw`jsonpath={.status.allowed}{"\n"}`, '-f', '-'],
    JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
  );
  const lines = answers.trimEnd().split('\n');
  return questions.filter((_, at) => lines[at] !== 'true');
}

/** Questions about one resource: what is missing there has one cause, wherever it is. */
function resourceOf({ group, resource }: Question): string {
  return JSON.stringify([group, resource]);
}

interface Missing {
  readonly group: string;
  readonly resource: string;
  readonly verbs: readonly string[];
  /** Undefined: on all of them. */
  readonly names: readonly string[] | undefined;
  readonly namespace: string | undefined;
}

/** What one Role must give: questions of one namespace, or of all, with or without names. */
function missingIn(questions: readonly Question[]): readonly Missing[] {
  const roles = grouped(questions, ({ namespace, name }) =>
    JSON.stringify([namespace, name !== undefined]),
  );
  return roles.flatMap((role): Missing[] => {
    const [first] = role;
    if (!first) return [];
    const { group, resource, namespace } = first;
    const names = [...new Set(role.flatMap(({ name }) => name ?? []))];
    const verbs = [...new Set(role.map(({ verb }) => verb))];
    return [{ group, resource, verbs, namespace, names: names.length > 0 ? names : undefined }];
  });
}

function findingOf(
  questions: readonly Question[],
  about: { readonly name: string; readonly account: string; readonly shell: Shell },
): Finding {
  const roles = missingIn(questions);
  const { name, account, shell } = about;
  return {
    check: 'rights',
    object: `serviceaccount ${account}`,
    says: `${name} may not ${listed(roles.map(wordsOf))}, which it must.`,
    command: roles.flatMap((role) => grantCommands(role, account, shell)).join(' && '),
  };
}

function unnamedSecrets(name: string, questions: readonly Question[]): string {
  const what = listed(missingIn(questions).map(wordsOf));
  return `${name} may not ${what}. It may be allowed those that it needs by their names, which is not known, as no object here refers to one. Run doctor again once there are objects, or with -A, which looks at all namespaces.`;
}

/** `get, list, watch secrets management-api in namespace ingest`. */
function wordsOf({ group, resource, verbs, names, namespace }: Missing): string {
  const what = group === '' ? resource : `${resource} of ${group}`;
  const which = names === undefined ? '' : ` ${listed(names)}`;
  const where = namespace === undefined ? 'all namespaces' : `namespace ${namespace}`;
  return `${verbs.join(', ')} ${what}${which} in ${where}`;
}

/** A role is named by what it gives to whom, and applied: so all this may be run again. */
function grantCommands(missing: Missing, account: string, shell: Shell): readonly string[] {
  const { group, resource, verbs, names, namespace } = missing;
  const [plural = '', subresource] = resource.split('/');
  const full = group === '' ? plural : `${plural}.${group}`;
  const digest = createHash('sha256')
    .update(JSON.stringify([account, missing]))
    .digest('hex');
  const [, user = ''] = account.split(':');
  const parts = [user, plural, subresource, ...verbs, digest.slice(0, 8)];
  const role = parts.filter((part) => part !== undefined).join('-');
  const rights = [
    `--verb=${verbs.join(',')}`,
    `--resource=${full}${subresource === undefined ? '' : `/${subresource}`}`,
    ...(names ?? []).map((one) => `--resource-name=${one}`),
  ];
  const grantee = `--serviceaccount=${account}`;
  const where = namespace === undefined ? [] : ['-n', namespace];
  const create = (...words: readonly string[]): string =>
    shell.applied(shell.kubectl(...where, 'create', ...words, '--dry-run=client', '-o', 'yaml'));
  const kind = namespace === undefined ? 'clusterrole' : 'role';
  return [
    create(kind, role, ...rights),
    create(`${kind}binding`, role, `--${kind}=${role}`, grantee),
  ];
}
