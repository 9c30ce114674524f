import { describe, expect, test } from 'vitest';
import { definition } from '../../src/kinds/organization/definition.ts';
import { FINALIZER } from '../../src/kinds/organization/resource.ts';
import { type CommonStatus, readyOf } from '../../src/kinds/shared/common-status.ts';
import { KindStage } from '../support/kind-stage.ts';
import { anAppliedPipeSettings, heldByAnother, planned, visit } from '../support/objects.ts';
import { e } from '../support/organization-entries.ts';

const MINUTE = 60_000;

/** An operator with --plan-only leads from now on: it sends nothing. */
async function look(stage: KindStage): Promise<void> {
  stage.sent = [];
  stage.restart({ planOnly: true });
  await stage.settle();
  expect(stage.sent).toEqual([]);
}

async function act(stage: KindStage): Promise<void> {
  stage.restart();
  await stage.settle();
}

function reasonIn(stage: KindStage): string | undefined {
  const status = stage.get('acme')?.status as CommonStatus | undefined;
  return readyOf(status)?.reason;
}

describe('a deleted object that may leave something behind', () => {
  const SPEC = {
    organizationId: '7f0e0b1d-0000-4000-8000-000000000000',
    credentialsSecretRef: { name: 'api' },
    privateEndpoints: [e('psc-1')],
    deletionPolicy: 'RemovePrivateEndpoints',
  };

  async function added(): Promise<KindStage> {
    const stage = new KindStage(definition, () => 'ingest');
    stage.apply('acme', SPEC);
    await stage.settle();
    return stage;
  }

  test('is not given up by an operator with --plan-only, however long it has waited', async () => {
    const stage = await added();
    stage.delete('acme');
    stage.next = ['lost'];
    await stage.settle();
    expect(reasonIn(stage)).toBe('Unavailable');
    await stage.clock.advance(11 * MINUTE);
    await look(stage);
    await stage.pass(24 * 60 * MINUTE);
    expect(stage.sent).toEqual([]);
    expect(stage.get('acme')?.metadata.finalizers).toEqual([FINALIZER]);
    expect(reasonIn(stage)).toBe('Planned');

    await act(stage);
    expect(stage.sent.at(-1)?.body, 'the removal').toContain('psc-1');
    expect(stage.get('acme')).toBeUndefined();
  });

  test('with a spec that cannot be read, too', async () => {
    const stage = await added();
    stage.apply('acme', { ...SPEC, organizationId: 7 });
    await stage.settle();
    stage.delete('acme');
    await look(stage);
    await stage.pass(24 * 60 * MINUTE);
    expect(stage.get('acme')?.metadata.finalizers).toEqual([FINALIZER]);
    expect(reasonIn(stage)).toBe('SpecInvalid');

    await act(stage);
    expect(stage.get('acme')).toBeUndefined();
  });
});

test('whose pipe another object had is sent again, also where that one went under --plan-only', () => {
  const lost = visit(anAppliedPipeSettings(), { facts: heldByAnother() }).object;
  expect(readyOf(lost.status)?.reason).toBe('TargetConflict');
  const looked = visit(lost, { facts: { planOnly: true } }).object;
  expect(readyOf(looked.status)?.reason).toBe('Planned');
  expect(planned(looked).do).toBe('call');
});
