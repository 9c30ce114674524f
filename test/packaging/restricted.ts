/** What of a Pod the two rule books look at. */
export interface PodSpec {
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

interface SecurityContext {
  readonly runAsUser?: number;
  readonly fsGroup?: number;
  readonly seLinuxOptions?: object;
  readonly seccompProfile?: { readonly type: string };
  readonly privileged?: boolean;
  readonly allowPrivilegeEscalation?: boolean;
  readonly capabilities?: { readonly add?: readonly string[] };
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
export function restrictedV2({ securityContext: ofPod = {}, ...spec }: PodSpec): string[] {
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
