import type { Judge } from '../oracles/court.ts';

/** No call begins later than so long after the last renewal that succeeded was sent. */
const RENEW_DEADLINE_MS = 10_000;
/** A call that has begun may still wait for its connection. */
const CONNECT_MS = 50;

/** No call past the Lease, and none after SIGTERM. */
export const lease: Judge = (life, court) => {
  const renewedAt = new Map<string, number>();
  const toldAt = new Map<string, number>();
  life.chronicle.listen((fact) => {
    if (fact.what === 'process' && fact.did === 'is told to end') {
      const { process } = fact;
      if (!life.processes.byName(process)?.host.frozen) toldAt.set(process, fact.at);
    }
    if (fact.what === 'asked' && fact.ask.path.includes('/leases')) {
      const { status, method, body, leftAt } = fact.ask;
      const isHeld = body.includes(`"holderIdentity":"${fact.process}"`);
      if (method !== 'GET' && status !== undefined && status < 300 && isHeld)
        renewedAt.set(fact.process, leftAt);
    }
    if (fact.what !== 'leaves') return;
    const { call, at } = fact;
    if (at - (toldAt.get(call.process) ?? at) > CONNECT_MS)
      court.report('lease ending', call.process, `${call.name} leaves after SIGTERM`);
    if (!life.world.flags.elected) return;
    const since = renewedAt.get(call.process);
    if (since === undefined || at - since > RENEW_DEADLINE_MS)
      court.report('lease over', call.process, `${call.name} leaves without the Lease`);
  });
  return {};
};
