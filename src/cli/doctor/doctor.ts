import { definitions } from '../../kinds/definitions.ts';
import { USUAL_NAMESPACE } from '../cluster/announced.ts';
import { type Found, listObjects, type Scope } from '../cluster/objects.ts';
import { type Context, type ExitCode, type ScopeFlags, scopeOf } from '../command.ts';
import { createShell, type Shell } from '../shell.ts';
import { UserError } from '../user-error.ts';
import { counted } from '../words.ts';
import { judgeCoverage, type Working } from './coverage.ts';
import { type CrdReading, judgeCrds, readCrds, releaseOfCrds } from './crds.ts';
import { placesSeen } from './doubt.ts';
import { HELM_COMMAND, installCommand } from './installation.ts';
import { judgeLeading, watchLeading } from './leading.ts';
import { findOperators } from './operators.ts';
import { leadingWith, type Operator } from './pairing.ts';
import { printReport } from './print.ts';
import { attempt, type Check, Report } from './report.ts';
import { checkRights } from './rights.ts';
import { checkSecrets, secretUses } from './secrets.ts';
import { judgeStates } from './states.ts';
import { judgeVersions, newerOperator } from './versions.ts';

export interface DoctorFlags extends ScopeFlags {
  readonly operatorNamespace?: string;
  readonly output: 'text' | 'json';
}

/** What all checks of one run share. */
interface Run {
  readonly context: Context;
  readonly flags: DoctorFlags;
  readonly report: Report;
  readonly shell: Shell;
}

/** Looks at the installation and at the objects, and says what is wrong and what mends it. */
export async function doctor(
  context: Context,
  _: readonly string[],
  flags: DoctorFlags,
): Promise<ExitCode> {
  const report = new Report();
  const run: Run = { context, flags, report, shell: createShell(flags) };
  // First of all and alone: a cluster that cannot be asked is told of once.
  const crds = await readCrds(context.kubectl, report);
  const [seen, objects] = await Promise.all([seenOperators(run), objectsOf(run, crds)]);
  const uses = secretUses(objects ?? []);
  const shared = { kubectl: context.kubectl, report, shell: run.shell };
  // Meanwhile a Lease is watched, which takes the longest.
  const [operators, types] = await Promise.all([
    seen && thoseThere(run, seen, crds ?? []),
    checkSecrets(uses, { ...shared, operators: workingOf(seen) }),
    ...workingOf(seen).map((operator) => checkRights(operator, { ...shared, secrets: uses })),
  ]);
  const newer = newerOperator(operators ?? [], context.version);
  if (crds) judgeCrds(crds, { ...shared, ...(newer !== undefined && { newerOperator: newer }) });
  if (operators && operators.length > 0)
    judgeVersions(operators, { ...shared, version: context.version });
  // Without objects there is nothing by which these could be told.
  if (objects && objects.length > 0) {
    const working = workingOf(operators);
    const { selector } = flags;
    const chosen = { ...shared, ...(selector !== undefined && { selector }) };
    if (working.length > 0) judgeCoverage(objects, working, chosen);
    judgeStates(objects, { ...shared, types });
  }
  printReport(report, context.terminal, flags.output);
  if (report.findings.length > 0) return 2;
  if (report.notChecked.length === 0) return 0;
  throw new UserError(
    `${counted(report.notChecked.length, 'check')} could not be made; see above what to do`,
  );
}

const OF_OPERATORS: readonly Check[] = ['leader', 'version', 'namespaces', 'selector', 'rights'];
const OF_OBJECTS: readonly Check[] = [
  'namespaces',
  'selector',
  'secrets',
  'keys',
  'api',
  'objects',
];

/** Undefined where nobody may look. */
async function seenOperators(run: Run): Promise<readonly Operator[] | undefined> {
  const { context, flags, report } = run;
  const { kubectl } = context;
  const seen = await findOperators({ kubectl, report, namespace: flags.operatorNamespace });
  if (!seen)
    for (const check of OF_OPERATORS) report.cannot(check, 'No operator could be looked for.');
  return seen;
}

/** Those that run, or should. */
async function thoseThere(
  run: Run,
  seen: readonly Operator[],
  crds: readonly CrdReading[],
): Promise<readonly Operator[]> {
  const { context, report, shell } = run;
  const { kubectl, clock, stop, terminal } = context;
  if (seen.some(({ doubt }) => doubt !== undefined))
    terminal.tell(`${placesSeen(seen)} Name the namespace of yours with --operator-namespace.`);
  if (seen.length > 0) terminal.tell('Watching whether the operator renews its Lease …');
  const judged = await Promise.all(
    seen.map(async (operator) => ({
      operator,
      leading: await watchLeading(operator, {
        kubectl,
        clock,
        stop,
        isOneOfSeveral: seen.length > 1,
      }),
    })),
  );
  // A Lease that nobody renews and no Deployment stands for is what an operator left behind.
  const there = judged.filter(({ operator, leading }) => operator.deployment || leading.leads);
  for (const { operator, leading } of there) judgeLeading(operator, leading, { report, shell });
  for (const { operator } of there) sayWhatIsUnknown(operator, report);
  if (there.length === 0) noOperator(run, crds);
  report.made('operator');
  return there.map(({ operator, leading }) =>
    leading.leads === true ? leadingWith(operator, leading.lease) : operator,
  );
}

function sayWhatIsUnknown({ works, deployment, namespace }: Operator, report: Report): void {
  const flags = 'it has not led yet, and its flags could not be read';
  const [checks, why] = works
    ? [['rights'] as const, 'it has no Deployment that could be found']
    : [['namespaces', 'selector', 'rights'] as const, flags];
  if (works && deployment) return;
  for (const check of checks)
    report.cannot(check, `Too little is known of the operator in namespace ${namespace}: ${why}.`);
}

/** Those of which it is known what they work on. */
function workingOf(operators: readonly Operator[] | undefined): readonly Working[] {
  return (operators ?? []).filter((one): one is Working => one.works !== undefined);
}

function noOperator(
  { flags: { operatorNamespace }, report, shell }: Run,
  crds: readonly CrdReading[],
): void {
  const where =
    operatorNamespace === undefined ? 'in any namespace' : `in namespace ${operatorNamespace}`;
  const release = releaseOfCrds(crds);
  // Another one would take the CRDs away from it.
  const owner = release
    ? ` The CRDs came with release ${release.release} of Helm in namespace ${release.namespace}; the command upgrades that one, or installs it again.`
    : '';
  report.find({
    check: 'operator',
    says: `There is no operator ${where}: no Deployment labelled app.kubernetes.io/name=pipewright or with the variable PIPEWRIGHT_API_URL, and no Lease that an operator renews. One that runs outside of the cluster with --leader-elect=false has no Lease and cannot be seen.${owner} ${HELM_COMMAND} Set PIPEWRIGHT_API_URL to the address of the management API before you run it.`,
    command: installCommand(
      release ?? { release: 'pipewright', namespace: operatorNamespace ?? USUAL_NAMESPACE },
      shell,
    ),
  });
  for (const check of OF_OPERATORS) report.cannot(check, 'There is no operator.');
}

/** Of the kinds that the cluster knows; undefined where they could not be listed. */
async function objectsOf(
  { context: { kubectl, terminal }, flags, report }: Run,
  crds: readonly CrdReading[] | undefined,
): Promise<readonly Found[] | undefined> {
  const scope = await scopeOf(kubectl, flags);
  const missing = crds?.filter(({ found }) => !found) ?? [];
  if (missing.length > 0) {
    const plurals = missing.map(({ definition }) => definition.type.plural).join(', ');
    const of = missing.length === 1 ? 'their CRD is' : 'their CRDs are';
    for (const check of OF_OBJECTS)
      report.cannot(check, `There are no ${plurals}: ${of} not installed.`);
  }
  const known = definitions.filter((one) => !missing.some(({ definition }) => definition === one));
  if (known.length === 0) return undefined;
  const listed = await attempt(() => listObjects(kubectl, scope, known));
  if ('value' in listed) {
    if (listed.value.length === 0) terminal.tell(noObjects(scope));
    return listed.value;
  }
  for (const check of OF_OBJECTS)
    report.cannot(check, `The objects could not be listed: ${listed.refusal.message}`);
  return undefined;
}

function noObjects({ namespace, selector }: Scope): string {
  const where = namespace === undefined ? 'any namespace' : `namespace ${namespace}`;
  const labels = selector === undefined ? '' : ` with the labels ${selector}`;
  const more = namespace === undefined ? '' : ' -A looks at all namespaces.';
  return `There are no objects in ${where}${labels}, so nothing can be said of namespaces, Secrets, keys and the API.${more}`;
}
