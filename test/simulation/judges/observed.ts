import type { Thing } from '../kubernetes/objects.ts';
import type { Judge } from '../oracles/court.ts';
import { type ApiCall, type EndpointView, endpointsOf } from '../record/facts.ts';
import { endpointKey, statusOf } from '../record/objects.ts';

/** From observation to permit, and what the write of the pending change may take. */
const OBSERVATION_MS = 45_000;
/** A list that every reply leaves out for so long counts as empty. */
const LEFT_OUT_MS = 60_000;
/** Absence that nobody asked for needs two observations so far apart. */
const TWICE_MS = 55_000;
/** So often in a row a 500 is a property of the API. */
const FOR_GOOD = 3;

interface Observation {
  readonly at: number;
  readonly listed: ReadonlySet<string>;
  readonly spelled: ReadonlySet<string>;
}

/** An add leaves only after an observation that lacked it, a remove only after one that showed it. */
export const observed: Judge = (life, court) => {
  /** By process and organization: what its last attempt was shown. */
  const observations = new Map<string, Observation>();
  /** By organization: since when every reply has left the list out. */
  const leftOutSince = new Map<string, number>();

  /** By process and organization: when it last said anything of itself. */
  const heardAt = new Map<string, number>();
  /** By process and organization: how often in a row the API took no observation. */
  const unreadable = new Map<string, number>();
  /** By organization and endpoint: since when lists lack what the inventory has as there. */
  const lacking = new Map<string, { readonly at: number; readonly uid: string }>();
  /** What a removal has left for, and no add since. */
  const removed = new Set<string>();
  /** By organization and endpoint: when the one object left an add that may still land. */
  const unsettled = new Map<string, { readonly at: number; readonly uid: string | undefined }>();
  /** Counted from when it was written, ten seconds before it left at the latest. */
  const settleMs = (life.world.flags.timeoutSeconds + 60) * 1_000 - 11_000;

  const shows = (call: ApiCall, at: number, list: readonly EndpointView[]): void => {
    const { process, target, leftAt } = call;
    const listed = new Set(list.map(endpointKey));
    observations.set(`${process} ${target}`, { at, listed, spelled: new Set(list.map(spelling)) });
    for (const [name, { at: since }] of unsettled) {
      const isThere = listed.has(name.slice(target.length + 1));
      if (name.startsWith(target) && (isThere || leftAt >= since + settleMs))
        unsettled.delete(name);
    }
  };

  const missed = (target: string, listed: ReadonlySet<string>, at: number): void => {
    for (const { metadata, status } of life.objectsFor(target))
      for (const one of statusOf({ status } as Thing).privateEndpoints ?? []) {
        if (one.state !== 'Present' && one.state !== 'Missing') continue;
        const name = `${target} ${endpointKey(one)}`;
        const isThere = listed.has(endpointKey(one)) || removed.has(name);
        if (isThere) lacking.delete(name);
        else lacking.set(name, lacking.get(name) ?? { at, uid: metadata.uid });
      }
  };

  const askedTwice = ({ target, name, leftAt }: ApiCall, one: EndpointView): void => {
    const [only, ...more] = life.objectsFor(target);
    const { uid } = more.length === 0 && only ? only.metadata : {};
    const before = unsettled.get(`${target} ${endpointKey(one)}`);
    if (uid !== undefined && before?.uid === uid)
      court.report('observed early', target, `${name} adds ${one.id}, whose add may still land`);
    unsettled.set(`${target} ${endpointKey(one)}`, { at: leftAt, uid });
  };

  const leaves = (call: ApiCall): void => {
    const { add, remove } = endpointsOf(call.body);
    const isName = add.length + remove.length === 0;
    if (isName && call.body.name === undefined) return;
    const key = `${call.process} ${call.target}`;
    const observation = observations.get(key);
    const isFresh = observation && call.leftAt - observation.at <= OBSERVATION_MS;
    // Where the API takes no observation, the declared name is one.
    const heard = heardAt.get(key) ?? Number.NEGATIVE_INFINITY;
    const isHeard = call.leftAt - heard <= OBSERVATION_MS;
    if (isName && (isHeard || (unreadable.get(key) ?? 0) >= FOR_GOOD)) return;
    if (!isFresh) {
      court.report('observed nothing', call.target, `${call.name} leaves without an observation`);
      return;
    }
    const shown = (one: EndpointView): boolean => observation.listed.has(endpointKey(one));
    for (const one of add.filter(shown))
      court.report('observed present', call.target, `${call.name} adds ${one.id}, which was there`);
    for (const one of remove) removed.add(`${call.target} ${endpointKey(one)}`);
    for (const one of add) {
      removed.delete(`${call.target} ${endpointKey(one)}`);
      const { at = 0, uid } = lacking.get(`${call.target} ${endpointKey(one)}`) ?? {};
      const isHeld = life.objectsFor(call.target).some(({ metadata }) => metadata.uid === uid);
      if (isHeld && call.leftAt - at < TWICE_MS)
        court.report('observed once', call.target, `${call.name} adds ${one.id}, missed once only`);
      askedTwice(call, one);
    }
    for (const one of remove.filter((two) => !observation.spelled.has(spelling(two))))
      court.report('observed not', call.target, `${call.name} removes ${one.id}, not shown so`);
  };

  const answered = (call: ApiCall): void => {
    const { reply, target, process, body } = call;
    const key = `${process} ${target}`;
    if (!reply || !target.startsWith('organization ')) return;
    const { add, remove } = endpointsOf(body);
    if (reply.status !== 200) {
      if (add.length + remove.length === 0 && body.name === undefined) {
        const isRefused = [400, 405, 422].includes(reply.status);
        const before = unreadable.get(key) ?? 0;
        const count = reply.status === 500 ? before + 1 : 0;
        if (before < FOR_GOOD) unreadable.set(key, isRefused ? FOR_GOOD : count);
      }
      // A refused change has changed nothing; what another failure did, nobody can tell.
      const isRefused = reply.status >= 400 && reply.status < 500 && reply.status !== 408;
      if (add.length + remove.length > 0 && !isRefused) observations.delete(key);
      else for (const one of add) unsettled.delete(`${target} ${endpointKey(one)}`);
      return;
    }
    for (const one of add) unsettled.delete(`${target} ${endpointKey(one)}`);
    if (reply.result) heardAt.set(key, reply.at);
    const list = reply.result?.privateEndpoints;
    if (Array.isArray(list)) {
      leftOutSince.delete(target);
      missed(target, new Set((list as EndpointView[]).map(endpointKey)), reply.at);
      return shows(call, reply.at, list as EndpointView[]);
    }
    if (!reply.result) {
      observations.delete(key);
      return;
    }
    const since = leftOutSince.get(target) ?? reply.at;
    leftOutSince.set(target, since);
    if (reply.at - since >= LEFT_OUT_MS - 1_000) shows(call, reply.at, []);
    // A name changes no endpoint: what the observation before it has shown still counts.
    else if (body.name === undefined) observations.delete(key);
  };

  life.chronicle.listen((fact) => {
    if (fact.what === 'leaves') leaves(fact.call);
    if (fact.what === 'answered') answered(fact.call);
    // Of an answer that broke off the status is known.
    if (fact.what === 'unanswered' && fact.call.reply === undefined) {
      const { add, remove } = endpointsOf(fact.call.body);
      if (add.length + remove.length > 0)
        observations.delete(`${fact.call.process} ${fact.call.target}`);
    }
  });
  return {};
};

/** "`remove` carries the tuple as reported." */
function spelling({ id, cloudProvider, region }: EndpointView): string {
  return JSON.stringify([id, cloudProvider, region]);
}
