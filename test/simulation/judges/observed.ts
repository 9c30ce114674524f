import type { Judge } from '../oracles/court.ts';
import { type ApiCall, type EndpointView, endpointsOf } from '../record/facts.ts';
import { endpointKey } from '../record/objects.ts';

/** From observation to permit, and what the write of the pending change may take. */
const OBSERVATION_MS = 45_000;
/** A list that every reply leaves out for so long counts as empty. */
const LEFT_OUT_MS = 60_000;

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

  const leaves = (call: ApiCall): void => {
    const { add, remove } = endpointsOf(call.body);
    if (add.length + remove.length === 0) return;
    const key = `${call.process} ${call.target}`;
    const observation = observations.get(key);
    const isFresh = observation && call.leftAt - observation.at <= OBSERVATION_MS;
    if (!isFresh) {
      court.report('observed nothing', call.target, `${call.name} leaves without an observation`);
      return;
    }
    const shown = (one: EndpointView): boolean => observation.listed.has(endpointKey(one));
    for (const one of add.filter(shown))
      court.report('observed there', call.target, `${call.name} adds ${one.id}, which was there`);
    for (const one of remove.filter((two) => !shown(two)))
      court.report('observed not', call.target, `${call.name} removes ${one.id}, never shown`);
  };

  const answered = (call: ApiCall): void => {
    const { reply, target, process, body } = call;
    const key = `${process} ${target}`;
    if (!reply || !target.startsWith('organization ')) return;
    if (reply.status !== 200) {
      // A refused change has changed nothing; what another failure did, nobody can tell.
      const { add, remove } = endpointsOf(body);
      const isRefused = reply.status >= 400 && reply.status < 500 && reply.status !== 408;
      if (add.length + remove.length > 0 && !isRefused) observations.delete(key);
      return;
    }
    const list = reply.result?.privateEndpoints;
    if (Array.isArray(list)) {
      leftOutSince.delete(target);
      const listed = new Set((list as EndpointView[]).map(endpointKey));
      observations.set(key, { at: reply.at, listed });
      return;
    }
    if (!reply.result) {
      observations.delete(key);
      return;
    }
    // A name changes no endpoint: what the observation before it has shown still counts.
    if (body.name !== undefined) return;
    const since = leftOutSince.get(target) ?? reply.at;
    leftOutSince.set(target, since);
    if (reply.at - since >= LEFT_OUT_MS - 1_000)
      observations.set(key, { at: reply.at, listed: new Set() });
    else observations.delete(key);
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
