import { beforeAll, describe, expect, test } from 'vitest';
import { findProgram } from '../controlplane/programs.ts';
import { BUILD_MS, rendered } from './helm.ts';
import { type Manifest, only } from './manifests.ts';

beforeAll(() => findProgram('helm'), BUILD_MS);

interface SecurityContext {
  readonly runAsUser?: number;
  readonly fsGroup?: number;
  readonly supplementalGroups?: readonly number[];
  readonly seLinuxOptions?: object;
  readonly seccompProfile?: { readonly type: string };
  readonly privileged?: boolean;
  readonly allowPrivilegeEscalation?: boolean;
  readonly capabilities?: { readonly add?: readonly string[]; readonly drop?: readonly string[] };
}

interface PodSpec {
  readonly hostNetwork?: boolean;
  readonly hostPID?: boolean;
  readonly hostIPC?: boolean;
  readonly securityContext?: SecurityContext;
  readonly volumes?: readonly Readonly<Record<string, unknown>>[];
  readonly containers: readonly {
    readonly securityContext?: SecurityContext;
    readonly ports?: readonly { readonly hostPort?: number }[];
  }[];
}

/** As OpenShift gives each namespace its own, in the annotation openshift.io/sa.scc.uid-range. */
const RANGE = { first: 1_000_680_000, last: 1_000_689_999 };
const VOLUMES = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
];

/**
 * What the SecurityContextConstraints restricted-v2 of OpenShift 4.11 and newer refuses, by its
 * object in the documentation. What is absent it fills in.
 */
function refusals({ securityContext: ofPod = {}, ...spec }: PodSpec): string[] {
  const outside = (id: number | undefined): boolean =>
    id !== undefined && (id < RANGE.first || id > RANGE.last);
  const problems: [boolean, string][] = [
    [spec.hostNetwork ?? false, 'allowHostNetwork: false'],
    [(spec.hostPID ?? false) || (spec.hostIPC ?? false), 'allowHostPID, allowHostIPC: false'],
    [outside(ofPod.runAsUser), 'runAsUser: MustRunAsRange'],
    [outside(ofPod.fsGroup), 'fsGroup: MustRunAs'],
    [ofPod.seLinuxOptions !== undefined, 'seLinuxContext: MustRunAs'],
    [(ofPod.seccompProfile?.type ?? 'RuntimeDefault') !== 'RuntimeDefault', 'seccompProfiles'],
    [
      (spec.volumes ?? []).some((volume) => !VOLUMES.some((kind) => kind in volume)),
      `volumes: ${VOLUMES.join()}`,
    ],
    ...spec.containers.flatMap(({ securityContext: own = {}, ports = [] }): [boolean, string][] => [
      [outside(own.runAsUser), 'runAsUser: MustRunAsRange'],
      [own.privileged ?? false, 'allowPrivilegedContainer: false'],
      [own.allowPrivilegeEscalation ?? false, 'allowPrivilegeEscalation: false'],
      [
        (own.capabilities?.add ?? []).some((one) => one !== 'NET_BIND_SERVICE'),
        'allowedCapabilities: NET_BIND_SERVICE',
      ],
      [ports.some(({ hostPort }) => hostPort !== undefined), 'allowHostPorts: false'],
    ]),
  ];
  return problems.filter(([found]) => found).map(([, rule]) => rule);
}

function podsOf(manifests: readonly Manifest[]): PodSpec[] {
  const deployment = only(manifests, 'Deployment') as unknown as {
    readonly spec: { readonly template: { readonly spec: PodSpec } };
  };
  return [deployment.spec.template.spec, only(manifests, 'Pod')['spec'] as PodSpec];
}

describe('under restricted-v2 of OpenShift', () => {
  test('the Pods of the chart are refused for their user', async () => {
    for (const pod of podsOf(await rendered()))
      expect(refusals(pod)).toEqual(['runAsUser: MustRunAsRange']);
  });

  test('those of values/openshift.yaml are let in, and are as restricted as before', async () => {
    const [usual, there] = [await rendered(), await rendered({ example: 'openshift' })].map(podsOf);
    for (const [index, pod] of (there ?? []).entries()) {
      expect(refusals(pod)).toEqual([]);
      const { runAsUser, runAsGroup, ...rest } = {
        runAsGroup: 0,
        ...usual?.[index]?.securityContext,
      };
      expect([runAsUser, runAsGroup]).toEqual([65_532, 65_532]);
      expect(pod).toEqual({ ...usual?.[index], securityContext: rest });
    }
  });

  test('so are they with every volume that the chart can mount', async () => {
    const values = {
      podSecurityContext: { runAsUser: null, runAsGroup: null },
      api: { ca: { configMap: 'ca' } },
      kubeconfig: { secret: 'other-cluster' },
      metrics: { secure: { enabled: true, certificateSecret: 'tls' } },
    };
    const [pod] = podsOf(await rendered({ values }));
    expect(pod?.volumes).toHaveLength(3);
    for (const one of podsOf(await rendered({ values }))) expect(refusals(one)).toEqual([]);
    const [onNode] = podsOf(await rendered({ values: { ...values, hostNetwork: true } }));
    expect(onNode && refusals(onNode)).toEqual(['allowHostNetwork: false']);
  });
});
