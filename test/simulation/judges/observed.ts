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
  const lacking = new Map<string, number>();

  /** What a removal has left for, and no add since. */
  const removed = new Set<string>();

  const missed = (target: string, listed: ReadonlySet<string>, at: number): void => {
    const entries = life
      .objectsFor(target)
      .flatMap((thing) => statusOf(thing).privateEndpoints ?? [])
      .filter(({ state }) => state === 'Present' || state === 'Missing');
    for (const key of new Set(entries.map(endpointKey))) {
      const name = `${target} ${key}`;
      if (listed.has(key) || removed.has(name)) lacking.delete(name);
      else lacking.set(name, lacking.get(name) ?? at);
    }
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
      court.report('observed there', call.target, `${call.name} adds ${one.id}, which was there`);
    for (const one of remove) removed.add(`${call.target} ${endpointKey(one)}`);
    for (const one of add) {
      removed.delete(`${call.target} ${endpointKey(one)}`);
      const since = lacking.get(`${call.target} ${endpointKey(one)}`) ?? Number.NEGATIVE_INFINITY;
      if (call.leftAt - since < TWICE_MS)
        court.report('observed once', call.target, `${call.name} adds ${one.id}, missed once only`);
    }
    for (const one of remove.filter((two) => !shown(two)))
      court.report('observed not', call.target, `${call.name} removes ${one.id}, never shown`);
  };

  const answered = (call: ApiCall): void => {
    const { reply, target, process, body } = call;
    const key = `${process} ${target}`;
    if (!reply || !target.startsWith('organization ')) return;
    const { add, remove } = endpointsOf(body);
    if (reply.status !== 200) {
      if (add.length + remove.length === 0 && body.name === undefined) {
        const isRefused = [400, 405, 422].includes(reply.status);
        const count = reply.status === 500 ? (unreadable.get(key) ?? 0) + 1 : 0;
        unreadable.set(key, isRefused ? FOR_GOOD : count);
      }
      // A refused change has changed nothing; what another failure did, nobody can tell.
      const isRefused = reply.status >= 400 && reply.status < 500 && reply.status !== 408;
      if (add.length + remove.length > 0 && !isRefused) observations.delete(key);
      return;
    }
    if (reply.result) heardAt.set(key, reply.at);
    const list = reply.result?.privateEndpoints;
    if (Array.isArray(list)) {
      leftOutSince.delete(target);
      const listed = new Set((list as EndpointView[]).map(endpointKey));
      missed(target, listed, reply.at);
      observations.set(key, { at: reply.at, listed });
      return;
    }
    if (!reply.result) {
      observations.delete(key);
      return;
    }
    const since = leftOutSince.get(target) ?? reply.at;
    leftOutSince.set(target, since);
    if (reply.at - since >= LEFT_OUT_MS - 1_000)
      observations.set(key, { at: reply.at, listed: new Set() });
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
