import { createActivities, plausibleActivity } from './activities.ts';
import { createApiKeys } from './api-keys.ts';
import { createCallLog } from './call-log.ts';
import { createControlEndpoint } from './control-endpoint.ts';
import { createEndpointCounter } from './endpoint-counts.ts';
import { createExchange } from './exchange.ts';
import { createFaults } from './fault-script.ts';
import { createInFlight } from './in-flight.ts';
import { listen } from './listener.ts';
import { strangers } from './organization-types.ts';
import { createOrganizations } from './organizations.ts';
import { createSettings } from './pipe-settings.ts';
import { createLimits } from './rate-limits.ts';
import type { Behaviour, Simulator, SimulatorOptions } from './types.ts';

export type * from './types.ts';

/**
 * Starts a simulated management API on 127.0.0.1. It shares no code with the operator, so that it
 * can judge it. Rejects when the port is taken.
 */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { anyPipe = true, keepLog = 100_000 } = options;
  const log = createCallLog(keepLog === false ? 0 : keepLog);
  const keys = createApiKeys(options.keys);
  const limits = createLimits(options.rate);
  const faults = createFaults();
  const inFlight = createInFlight();
  const endpoints = createEndpointCounter();
  const settings = createSettings({ pipes: options.pipes ?? [], anyPipe });
  const organizations = createOrganizations({ anyOrganization: anyPipe });
  const activities = createActivities();
  const exchange = createExchange({
    log,
    faults,
    inFlight,
    endpoints,
    service: { keys, limits, stores: { settings, organizations, activities } },
    onCall: options.onCall,
  });

  function play(behaviour: Behaviour): void {
    if (behaviour.settings) settings.play(behaviour.settings);
    if (behaviour.organization) organizations.play(behaviour.organization);
    if (behaviour.activity) activities.play(behaviour.activity);
    if (behaviour.latencyMs !== undefined) exchange.setLatency(behaviour.latencyMs);
    if ('rate' in behaviour) limits.set(behaviour.rate);
  }

  const { settings: settingsStart, organization, activity, latencyMs } = options;
  play({
    ...(settingsStart && { settings: settingsStart }),
    ...(organization && { organization }),
    ...(activity && { activity }),
    ...(latencyMs !== undefined && { latencyMs }),
  });

  for (const id of options.organizations ?? []) organizations.set(id, { add: strangers(2) });
  for (const name of options.activities ?? []) {
    const [organizationId = '', ...id] = name.split('/');
    activities.set(organizationId, plausibleActivity(organizationId, id.join('/')));
  }

  const listener = await listen({
    port: options.port ?? 0,
    tls: options.tls,
    serve: (request, response) => {
      if (options.control === true && request.url?.startsWith('/_control/'))
        control.serve(request, response);
      else exchange.serve(request, response, listener);
    },
  });

  const simulator: Simulator = {
    url: listener.url,
    log: log.entries,
    callCount: log.count,
    calls: log.matching,
    waitForCalls: log.wait,
    settingsOf: settings.of,
    setSettings: settings.set,
    organization: organizations.of,
    setOrganization: organizations.set,
    endpointCounts: endpoints.of,
    setActivity: activities.set,
    dump: () => ({
      pipes: settings.dump(),
      organizations: organizations.dump(),
      activities: activities.dump(),
    }),
    play,
    next: faults.next,
    always: faults.always,
    clear: faults.clear,
    setKey: keys.set,
    inFlight: inFlight.of,
    down: listener.down,
    up: listener.up,
    release: exchange.release,
    stop: listener.stop,
  };
  const control = createControlEndpoint(simulator, { callsByKey: log.byKey });
  return simulator;
}
