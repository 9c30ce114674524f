import type { KubeObject } from '../../kube/resource.ts';
import type { Container, Deployment, PodSpec, Variable } from './containers.ts';
import { type Keep, keptMetadata, NOT_SHOWN, only } from './kept.ts';
import { type Said, shownCondition, shownTerminated, shownWaiting } from './machine-words.ts';
import type { Pod } from './pods.ts';
import { shownArguments, shownVariable } from './settings.ts';

/**
 * What a support case needs of the operator's Deployment, Pods and Leases. All else is left out: a
 * header of a probe, an attribute of a volume or a command of another container may be a password,
 * and a later Kubernetes has more such places.
 */
const SECURITY: Keep = {
  runAsUser: true,
  runAsGroup: true,
  runAsNonRoot: true,
  fsGroup: true,
  supplementalGroups: true,
  privileged: true,
  allowPrivilegeEscalation: true,
  readOnlyRootFilesystem: true,
  capabilities: true,
  seccompProfile: { type: true },
};
const CONTAINER = {
  name: true,
  image: true,
  imagePullPolicy: true,
  restartPolicy: true,
  resources: { requests: true, limits: true },
  securityContext: SECURITY,
} satisfies Keep;
const PROBE: Keep = {
  httpGet: { path: (path) => String(path).replace(/[?#].*$/s, ''), port: true, scheme: true },
  tcpSocket: { port: true },
  grpc: { port: true },
  exec: {},
  initialDelaySeconds: true,
  periodSeconds: true,
  timeoutSeconds: true,
  successThreshold: true,
  failureThreshold: true,
};
const REFERENCE: Keep = { name: true, key: true, optional: true };
/** Of the operator's container, besides; what needs a closer look is in `keptContainer`. */
const OPERATOR = {
  envFrom: { prefix: true, configMapRef: REFERENCE, secretRef: REFERENCE },
  ports: { name: true, containerPort: true, protocol: true },
  volumeMounts: { name: true, mountPath: true, readOnly: true },
  livenessProbe: PROBE,
  readinessProbe: PROBE,
  startupProbe: PROBE,
} satisfies Keep;
const VARIABLE: Keep = {
  name: true,
  valueFrom: {
    configMapKeyRef: REFERENCE,
    secretKeyRef: REFERENCE,
    fieldRef: { fieldPath: true },
    resourceFieldRef: { resource: true },
  },
};
const POD: Keep = {
  serviceAccountName: true,
  automountServiceAccountToken: true,
  enableServiceLinks: true,
  nodeName: true,
  hostNetwork: true,
  dnsPolicy: true,
  restartPolicy: true,
  priorityClassName: true,
  terminationGracePeriodSeconds: true,
  imagePullSecrets: { name: true },
  securityContext: SECURITY,
  volumes: {
    name: true,
    configMap: { name: true, optional: true },
    secret: { secretName: true, optional: true },
    projected: {},
    emptyDir: {},
    hostPath: {},
    persistentVolumeClaim: { claimName: true },
    csi: { driver: true },
  },
};
const DEPLOYMENT: Keep = {
  replicas: true,
  paused: true,
  minReadySeconds: true,
  progressDeadlineSeconds: true,
  revisionHistoryLimit: true,
  strategy: true,
  selector: true,
};
const CONDITION: Keep = {
  type: true,
  status: true,
  reason: true,
  message: true,
  lastUpdateTime: true,
  lastTransitionTime: true,
};
const DEPLOYMENT_STATUS: Keep = {
  observedGeneration: true,
  replicas: true,
  updatedReplicas: true,
  readyReplicas: true,
  availableReplicas: true,
  unavailableReplicas: true,
  conditions: keptCondition,
};
const ENDED = {
  exitCode: true,
  signal: true,
  reason: true,
  startedAt: true,
  finishedAt: true,
} satisfies Keep;
const STATE = {
  running: { startedAt: true },
  waiting: (waiting) => shownWaiting(only({ reason: true, message: true }, waiting) as Said),
  terminated: ENDED,
} satisfies Keep;
const STATE_OF_OPERATOR: Keep = {
  ...STATE,
  terminated: (terminated) =>
    shownTerminated(only({ ...ENDED, message: true }, terminated) as Said),
};
const CONTAINER_STATUS = {
  name: true,
  image: true,
  imageID: true,
  ready: true,
  started: true,
  restartCount: true,
  state: STATE,
  lastState: STATE,
} satisfies Keep;
const OPERATOR_STATUS: Keep = {
  ...CONTAINER_STATUS,
  state: STATE_OF_OPERATOR,
  lastState: STATE_OF_OPERATOR,
};
const LEASE: Keep = {
  holderIdentity: true,
  leaseDurationSeconds: true,
  acquireTime: true,
  renewTime: true,
  leaseTransitions: true,
};

/** `operator`: the name of its container. */
export function keptDeployment(deployment: Deployment, operator: string): object {
  const { metadata, spec, status } = deployment;
  const { template } = spec;
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: keptMetadata(metadata),
    spec: {
      ...(only(DEPLOYMENT, spec) as object),
      template: {
        ...(template.metadata && { metadata: keptMetadata(template.metadata) }),
        spec: keptPodSpec(template.spec, operator),
      },
    },
    ...(status !== undefined && { status: only(DEPLOYMENT_STATUS, status) }),
  };
}

export function keptPod({ metadata, spec, status }: Pod, operator: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: keptMetadata(metadata),
    spec: keptPodSpec(spec, operator),
    ...(status && { status: only(podStatus(operator), status) }),
  };
}

export function keptLease({ metadata, spec }: KubeObject): object {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: keptMetadata(metadata),
    spec: only(LEASE, spec),
  };
}

function keptPodSpec(spec: PodSpec, operator: string): object {
  const { containers, initContainers } = spec;
  return {
    ...(only(POD, spec) as object),
    ...(initContainers && { initContainers: only(CONTAINER, initContainers) }),
    containers: containers.map((one) =>
      one.name === operator ? keptOperator(one) : only(CONTAINER, one),
    ),
  };
}

function keptOperator(container: Container): object {
  const { command, args, env } = container;
  return {
    ...(only({ ...CONTAINER, ...OPERATOR }, container) as object),
    ...(command && { command: command.map(() => NOT_SHOWN) }),
    ...(args && { args: shownArguments(args) }),
    ...(env && { env: env.map(keptVariable) }),
  };
}

function keptVariable(variable: Variable): object {
  const { name, value } = variable;
  return {
    ...(only(VARIABLE, variable) as object),
    ...(value !== undefined && { value: shownVariable(name, value) }),
  };
}

function podStatus(operator: string): Keep {
  const ofContainer = (one: unknown): unknown => {
    const { name } = one as { readonly name: string };
    return only(name === operator ? OPERATOR_STATUS : CONTAINER_STATUS, one);
  };
  return {
    phase: true,
    reason: true,
    qosClass: true,
    startTime: true,
    conditions: keptCondition,
    initContainerStatuses: ofContainer,
    containerStatuses: ofContainer,
  };
}

function keptCondition(condition: unknown): unknown {
  return shownCondition(only(CONDITION, condition) as Said & { readonly type: string });
}
