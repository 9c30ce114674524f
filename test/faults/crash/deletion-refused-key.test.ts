import { expect, test } from 'vitest';
import { waitFor } from '../../controlplane/client.ts';
import { list } from '../../support/organizations.ts';
import { openStage } from '../stage.ts';

/** The attempts of the other object that find the key refused. */
const REFUSALS = 4;
/** Less than an object waits by itself that finds its key refused. */
const PATIENCE_MS = 20_000;

test.concurrent.each(['before', 'after'] as const)(
  'R12: a key that only another object has found refused, and that works again %s the deletion: ours is removed',
  async (when) => {
    const stage = await openStage({ flags: ['--cleanup-deadline', '1m'] });
    const orgs = stage.orgs;
    const { simulator, key } = stage;
    const enable = (): void => simulator.setKey(key.id, key.secret, {});
    const refusals = (): number =>
      simulator.calls({}).filter(({ status }) => status === 401).length;
    const untilRefused = (times: number): Promise<number> =>
      waitFor(refusals, {
        what: `call ${times} with the refused key`,
        until: (count) => count === times,
        timeoutMs: PATIENCE_MS,
      });
    try {
      await stage.start();
      await orgs.create('acme', { ...list('psc-1'), deletionPolicy: 'RemovePrivateEndpoints' });
      await orgs.until('acme', 'Applied');
      await stage.psets.create('pipe');
      await stage.psets.until('pipe', 'Applied');
      simulator.setKey(key.id, key.secret, { disabled: true });
      for (let refused = 1; refused <= REFUSALS; refused++) {
        await stage.psets.request('pipe');
        await untilRefused(refused);
      }
      await stage.psets.until('pipe', 'Unauthorized');
      if (when === 'before') enable();
      await orgs.remove('acme');
      if (when === 'after') {
        await orgs.until('acme', 'Unauthorized');
        enable();
      }
      // By its last try: with the key refused so often, nobody's turn comes before the deadline.
      await orgs.untilGone('acme', 90_000);
      expect(orgs.ids()).toEqual([]);
      expect((await stage.events('acme')).map(({ reason }) => reason)).not.toContain(
        'CleanupAbandoned',
      );
    } finally {
      await stage.end();
    }
  },
);
