import { afterAll, beforeAll, describe } from 'vitest';
import { controlPlane } from '../controlplane/client.ts';
import { type ControlPlane, startControlPlane } from '../controlplane/controlplane.ts';
import { kubernetesCases } from '../simulation/conformance/kubernetes.ts';
import { forgottenCases } from '../simulation/conformance/kubernetes-lists.ts';
import { RealKubernetes } from '../simulation/conformance/kubernetes-real.ts';
import { installCrds } from '../support/crd.ts';

describe('a real kube-apiserver', () => {
  const real = new RealKubernetes(controlPlane.admin);

  beforeAll(() => installCrds());
  afterAll(() => real.close());

  kubernetesCases(() => real);
});

describe('a real kube-apiserver that forgets', () => {
  let own: ControlPlane;
  let real: RealKubernetes;

  beforeAll(async () => {
    own = await startControlPlane({
      say: () => undefined,
      apiServerFlags: { 'etcd-compaction-interval': '1s' },
    });
    real = new RealKubernetes(own.admin);
  });
  afterAll(async () => {
    await real.close();
    await own.stop();
  });

  forgottenCases(() => real);
});
