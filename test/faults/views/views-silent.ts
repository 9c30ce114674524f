import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { controlPlane } from '../../controlplane/client.ts';
import { requestToken, writeTokenKubeconfig } from '../../controlplane/identity.ts';
import type { Call, Match } from '../../simulator/types.ts';
import { startOperator } from '../../support/operator.ts';
import type { Watch } from '../proxy.ts';
import { openStage, type Stage } from '../stage.ts';
import { layWire } from '../wire.ts';
import { createView, type View } from './views.ts';
import { subjectOf } from './views-subjects.ts';

/** How a connection dies without a word. */
export type Silence =
  | 'every watch falls silent'
  | 'every watch falls silent half-way through a line'
  | 'every connection to the API server is frozen';

/** What users do when it has; each asks for one call. */
export const CHANGES = [
  'settings changed',
  'settings made',
  'organization changed',
  'organization with clean-up deleted',
  'key rotated after a 401',
  'missing Secret made',
] as const;
type Change = (typeof CHANGES)[number];

/** How long it took from each change to its call, in ms. */
export type Delays = ReadonlyMap<Change, number>;

const PATIENCE_MS = 120_000;

export async function runSilence(silence: Silence): Promise<Delays> {
  const view = createView();
  const stage = await openStage({ kube: view.handlers });
  const wire = await layWire(Number(new URL(controlPlane.server).port));
  try {
    const isFrozen = silence === 'every connection to the API server is frozen';
    const operator = isFrozen ? await startThrough(wire.port, stage) : await stage.start();
    try {
      const changes = await prepare(stage);
      if (isFrozen) wire.freeze();
      else if (silence === 'every watch falls silent')
        for (const watch of stage.kube.watches) watch.freeze();
      else breakOffLines(view, stage);
      const delays = Object.entries(changes).map(async ([change, { make, asks }]) => {
        const before = stage.simulator.calls(asks).length;
        const madeAt = Date.now();
        await make();
        const calls = await stage.simulator.waitForCalls(before + 1, {
          match: asks,
          timeoutMs: PATIENCE_MS,
        });
        return [change as Change, (calls[before] as Call).receivedAt - madeAt] as const;
      });
      return new Map(await Promise.all(delays));
    } finally {
      await operator.kill();
    }
  } finally {
    await stage.end();
    await wire.close();
  }
}

/** An operator that reaches the API server as it does in a cluster, over TLS. */
async function startThrough(
  port: number,
  { namespace, api }: Stage,
): ReturnType<typeof startOperator> {
  const { ca, admin, folder } = controlPlane;
  const token = await requestToken(admin, { namespace, name: 'operator' });
  const server = `https://127.0.0.1:${port}`;
  const file = join(folder, 'users', randomUUID());
  return startOperator({
    kubeconfig: await writeTokenKubeconfig(file, { server, caPem: ca, token, namespace }),
    apiUrl: api.url,
    flags: ['--namespaces', namespace, '--leader-elect=false', '--api-rate', '0'],
  });
}

/** The next line of each watch that is open ends in its midst, and nothing follows it. */
function breakOffLines(view: View, { kube }: Stage): void {
  const whole = new Set(kube.watches);
  const broken = new Set<Watch>();
  view.wear(({ text }, watch) => {
    if (whole.delete(watch)) {
      watch.sendPart(text.slice(0, text.length / 2));
      watch.freeze();
      broken.add(watch);
    }
    return broken.has(watch) ? [] : undefined;
  });
}

interface Step {
  readonly make: () => Promise<void>;
  /** What the call is like that it asks for. */
  readonly asks: Match;
}

/** Brings everything to where it is changed from. */
async function prepare(stage: Stage): Promise<Readonly<Record<Change, Step>>> {
  const { simulator } = stage;
  const changed = subjectOf(stage, 'PipeSettings', 'changed');
  const made = subjectOf(stage, 'PipeSettings', 'made');
  const organization = subjectOf(stage, 'Organization', 'organization');
  const held = subjectOf(stage, 'held Organization', 'held');
  const refused = subjectOf(stage, 'PipeSettings', 'refused');
  const waiting = subjectOf(stage, 'PipeSettings', 'waiting');
  const later = { id: `later-${randomUUID()}`, secret: randomUUID() };
  simulator.setKey(later.id, later.secret);
  await stage.secret('refused', { keyId: 'nobody', keySecret: 'knows-it' });
  await Promise.all([
    ...[changed, organization, held].map(async (subject) => {
      await subject.make(1);
      await subject.untilWish(1);
    }),
    refused
      .make(1, { credentialsSecretRef: { name: 'refused' } })
      .then(() => refused.until('Unauthorized')),
    waiting
      .make(1, { credentialsSecretRef: { name: 'missing' } })
      .then(() => waiting.until('SecretNotFound')),
  ]);
  const { id: keyId, secret: keySecret } = later;
  return {
    'settings changed': { make: () => changed.change(2), asks: { pathIncludes: '/changed/' } },
    'settings made': { make: () => made.make(1), asks: { pathIncludes: '/made/' } },
    'organization changed': {
      make: () => organization.change(2),
      asks: { bodyIncludes: 'Acme 2' },
    },
    'organization with clean-up deleted': {
      make: () => held.remove(),
      asks: { bodyIncludes: '"remove":[{' },
    },
    'key rotated after a 401': {
      make: () => stage.secret('refused', { keyId, keySecret }),
      asks: { keyId, pathIncludes: '/refused/' },
    },
    'missing Secret made': {
      make: () => stage.secret('missing', { keyId, keySecret }),
      asks: { keyId, pathIncludes: '/waiting/' },
    },
  };
}
