import { createCallLog } from './call-log.ts';
import { createExchange } from './exchange.ts';
import { listen } from './listener.ts';
import { createScript } from './script.ts';
import { Service } from './service.ts';
import type { Behaviour, Simulator, SimulatorOptions } from './types.ts';

/**
 * Starts a simulated management API on 127.0.0.1. It shares no code with the operator, so that it
 * can judge it. Rejects when the port is taken.
 */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const log = createCallLog();
  const script = createScript();
  const service = new Service(options);
  const exchange = createExchange({
    service,
    script,
    arrived: (call) => options.keepLog !== false && log.add(call),
    ended: (call) => options.onCall?.(call),
  });

  function play({ settings, organization, latencyMs, ...more }: Behaviour): void {
    if (settings) service.settings.play(settings);
    if (organization) service.organizations.play(organization);
    if (latencyMs !== undefined) exchange.setLatency(latencyMs);
    if ('rate' in more) service.limits.set(more.rate);
  }

  play(options);
  const listener = await listen({
    port: options.port ?? 0,
    tls: options.tls,
    serve: exchange.serve,
  });

  return {
    url: listener.url,
    log: log.entries,
    callCount: (match) => log.matching(match).length,
    calls: log.matching,
    waitForCalls: log.wait,
    settingsOf: service.settings.of,
    setSettings: service.settings.set,
    organization: service.organizations.of,
    setOrganization: service.organizations.set,
    setRecord: service.records.set,
    play,
    next: script.next,
    always: script.always,
    clear: script.clear,
    setKey: service.keys.set,
    down: listener.down,
    up: listener.up,
    release: exchange.release,
    stop: listener.stop,
  };
}
