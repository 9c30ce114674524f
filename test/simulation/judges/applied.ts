import type { Thing } from '../kubernetes/objects.ts';
import type { Judge } from '../oracles/court.ts';
import type { ApiCall, EndpointView } from '../record/facts.ts';
import { endpointKey, keyOf, readyOf, specOf, statusOf, targetOfSpec } from '../record/objects.ts';

/**
 * Applied is said of a generation that a 200 has confirmed, or an observation, and never beside a
 * pending change or an endpoint that is not as declared.
 */
export const applied: Judge = (life, court) => {
  /** By object: when its generation was stored. */
  const since = new Map<string, number>();
  /** By target: the calls that were answered 200. */
  const answered = new Map<string, ApiCall[]>();

  const said = (plural: string, now: Thing): void => {
    const key = keyOf(plural, now);
    const target = targetOfSpec(plural, specOf(now));
    const from = since.get(`${now.metadata.uid} ${now.metadata.generation}`) ?? 0;
    const calls = (answered.get(target) ?? []).filter(({ leftAt }) => leftAt >= from);
    if (calls.length === 0)
      return court.report('applied unheard', key, 'no call since its edit was answered 200');
    const isShared = life.objectsFor(target).length > 1;
    // Between its own last answer and the write of its status another object may have had one.
    const own = isShared
      ? calls.findLast((call) => ofOrganization(now, call) === undefined)
      : undefined;
    const problem =
      plural === 'pipesettings' ? ofPipe(now, calls) : ofOrganization(now, own ?? calls.at(-1));
    if (problem !== undefined) court.report('applied untrue', key, problem);
  };

  life.chronicle.listen((fact) => {
    if (fact.what === 'answered' && fact.call.reply?.status === 200) {
      const { target } = fact.call;
      answered.set(target, [...(answered.get(target) ?? []), fact.call]);
    }
    if (fact.what !== 'written' || !fact.change.kind.schema) return;
    const { now, before, by, kind } = fact.change;
    const generation = `${now.metadata.uid} ${now.metadata.generation}`;
    if (!since.has(generation)) since.set(generation, fact.at);
    if (by === 'user' || kind.plural === 'activities') return;
    if (isApplied(now) && !isApplied(before)) said(kind.plural, now);
  });
  return {};
};

function isApplied(thing: Thing | undefined): boolean {
  const ready = readyOf(thing);
  return (
    ready?.reason === 'Applied' &&
    ready.status === 'True' &&
    ready.observedGeneration === thing?.metadata.generation
  );
}

/** Its last PUT asked for what it declares, and the answer shows nothing else. */
function ofPipe(thing: Thing, calls: readonly ApiCall[]): string | undefined {
  const { settings = {} } = specOf(thing);
  const call = calls.findLast(({ text }) => sameSettings(JSON.parse(text), settings));
  if (!call) return 'no answered PUT asked for what it declares';
  const odd = Object.entries(settings).find(([name, value]) => {
    const shown = call.reply?.result?.[name];
    return (shown ?? null) !== null && JSON.stringify(shown).replaceAll('"', '') !== String(value);
  });
  return odd && `the answer to ${call.name} shows another ${odd[0]} than ${odd[1]}`;
}

function sameSettings(one: object, other: object): boolean {
  const text = (value: object): string => Object.entries(value).map(String).sort().join();
  return text(one) === text(other);
}

function ofOrganization(thing: Thing, last: ApiCall | undefined): string | undefined {
  const { name, privateEndpoints = [] } = specOf(thing);
  const { pendingChange, privateEndpoints: inventory = [] } = statusOf(thing);
  const result = last?.reply?.result;
  if (pendingChange) return 'a change is pending';
  if (name !== undefined && result?.name !== name)
    return `the last answer shows the name ${String(result?.name)}`;
  const list = result?.privateEndpoints;
  const shown = new Set(Array.isArray(list) ? (list as EndpointView[]).map(endpointKey) : []);
  const lacking = privateEndpoints.find((one) => !shown.has(endpointKey(one)));
  if (lacking) return `the last answer does not show ${lacking.id}`;
  const listed = new Set(privateEndpoints.map(endpointKey));
  const extra = inventory.find(
    (one) => one.origin !== 'Found' && !listed.has(endpointKey(one)) && shown.has(endpointKey(one)),
  );
  // A list that is absent in spec keeps the inventory and removes nothing.
  const isManaged = specOf(thing).privateEndpoints !== undefined;
  return isManaged && extra ? `${extra.id} is ours, undeclared and there` : undefined;
}
