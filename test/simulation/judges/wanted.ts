import type { Thing } from '../kubernetes/objects.ts';
import type { Judge } from '../oracles/court.ts';
import { type ApiCall, endpointsOf } from '../record/facts.ts';
import {
  endpointKey,
  keyOf,
  type Plural,
  type SpecView,
  specOf,
  targetOfSpec,
} from '../record/objects.ts';

/** Calls that follow one another so soon may be of one attempt. */
const ATTEMPT_MS = 20_000;
const TOLERANCE_MS = 2_000;
const MOST_REMOVALS = 5;

/**
 * A call is what an object asks for that the process has been shown: not suspended, in Plan or
 * deleted, but with RemovePrivateEndpoints; and no call is for one that waits for another's target.
 */
export const wanted: Judge = (life, court) => {
  /** By uid. */
  const verifiedAt = new Map<string, number>();
  /** By process and target: when its present attempt began, and its last call. */
  const attempts = new Map<string, { readonly began: number; readonly last: number }>();
  life.chronicle.listen((fact) => {
    if (fact.what === 'written' && isVerified(fact.change.now.status)) {
      const { uid } = fact.change.now.metadata;
      verifiedAt.set(uid, verifiedAt.get(uid) ?? fact.at);
    }
    if (fact.what !== 'leaves') return;
    const { call, at } = fact;
    const attempt = attempts.get(`${call.process} ${call.target}`);
    const isNew = !attempt || at - attempt.last > ATTEMPT_MS;
    // Who acts looks for the owner when its attempt begins.
    const since = isNew ? at : attempt.began;
    attempts.set(`${call.process} ${call.target}`, { began: since, last: at });
    const shown = life.knowledge
      .ofProcess(call.process)
      .filter(({ plural, thing }) => targetOfSpec(plural, specOf(thing)) === call.target);
    const refusals = shown.map(
      ({ plural, thing }) => [keyOf(plural, thing), refusalOf(plural, thing, call)] as const,
    );
    if (refusals.some(([, why]) => why === undefined)) {
      const isKnown = ({ metadata }: Thing): boolean =>
        (verifiedAt.get(metadata.uid) ?? since) < since - TOLERANCE_MS;
      const things = shown.map(({ thing }) => thing);
      // Just then another one may have been verified: either may act.
      const owners = [ownerOf(things.filter(isKnown)), ownerOf(things)];
      const whys = owners.map((owner) => owner && refusals[things.indexOf(owner)]?.[1]);
      if (whys.includes(undefined)) return;
      court.report('wanted by another', call.target, `${call.name}, whose owner ${whys[0]}`);
      return;
    }
    const why = refusals.map(([key, text]) => `${key} ${text}`).join(', ');
    court.report('wanted not', call.target, `${call.name} leaves: ${why || 'no object is shown'}`);
  });
  return {};
};

/** Why an object, as it is known, does not ask for this call; undefined: it does. */
function refusalOf(plural: Plural, { spec, metadata }: Thing, call: ApiCall): string | undefined {
  const { suspend, mode, deletionPolicy, ...declared } = spec as SpecView;
  const isGoing = metadata.deletionTimestamp !== undefined;
  const { add, remove } = endpointsOf(call.body);
  const isLook = plural === 'organizations' && add.length + remove.length === 0;
  if (isGoing) {
    if (plural !== 'organizations') return 'is deleted';
    if (deletionPolicy !== 'RemovePrivateEndpoints') return 'is deleted, and retains';
    return add.length > 0 ? 'is deleted, and adds nothing' : undefined;
  }
  if (suspend === true) return 'is suspended';
  if (mode === 'Plan' && !(isLook && call.body.name === undefined)) return 'is in Plan';
  if (plural === 'activities') return undefined;
  if (plural === 'pipesettings') {
    const text = canonical(declared.settings ?? {});
    return canonical(call.body) === text ? undefined : `declares ${text}`;
  }
  if (call.body.name !== undefined && call.body.name !== declared.name)
    return `declares the name ${declared.name}`;
  const listed = new Set((declared.privateEndpoints ?? []).map(endpointKey));
  if (add.some((one) => !listed.has(endpointKey(one)))) return 'does not list what is added';
  if (remove.length > 0 && declared.privateEndpoints === undefined) return 'manages no list';
  const most = declared.maxPrivateEndpointRemovals ?? MOST_REMOVALS;
  if (remove.length > most) return `allows ${most} removals`;
  const isListed = remove.some((one) => listed.has(endpointKey(one)));
  return isListed ? 'lists what is removed' : undefined;
}

/** The oldest verified object of a target, as long as it exists. */
function ownerOf(things: readonly Thing[]): Thing | undefined {
  return things
    .filter(({ status }) => isVerified(status))
    .sort((a, b) => {
      const [one, other] = [a.metadata, b.metadata];
      const byTime = one.creationTimestamp.localeCompare(other.creationTimestamp);
      return byTime === 0 ? one.uid.localeCompare(other.uid) : byTime;
    })[0];
}

function isVerified(status: unknown): boolean {
  return typeof status === 'object' && status !== null && 'verified' in status;
}

function canonical(value: object): string {
  return JSON.stringify(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
