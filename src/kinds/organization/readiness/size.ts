import { statusWith } from '../../engine/report.ts';
import { withoutUndefined } from '../../status/common-status.ts';
import type { Organization, OrganizationStatus } from '../resource.ts';

/**
 * A status beyond this many bytes of JSON loses what it only repeats of replies. An object must
 * stay far below what etcd takes.
 */
const ROOM = 200 * 1024;

/**
 * The status, with what the API reported cut down where it would be too large. What the operator
 * needs to go on is never cut.
 */
export function fitted(status: OrganizationStatus): OrganizationStatus {
  let cut = status;
  for (const shorten of [
    withFewerReported,
    withoutHistory,
    withoutPlanBodies,
    withoutDescriptions,
    withoutFound,
  ]) {
    if (Buffer.byteLength(JSON.stringify(cut)) <= ROOM) return cut;
    cut = withoutUndefined(shorten(cut));
  }
  return cut;
}

/** The total stays, so that it shows that there are more. */
function withFewerReported(status: OrganizationStatus): OrganizationStatus {
  const { organization } = status;
  if (!organization?.privateEndpoints) return status;
  return {
    ...status,
    organization: { ...organization, privateEndpoints: organization.privateEndpoints.slice(0, 20) },
  };
}

function withoutHistory(status: OrganizationStatus): OrganizationStatus {
  return { ...status, history: status.history?.slice(-1) };
}

function withoutPlanBodies(status: OrganizationStatus): OrganizationStatus {
  const { plan } = status;
  if (!plan) return status;
  return {
    ...status,
    plan: { ...plan, requests: plan.requests.map(({ method, path }) => ({ method, path })) },
  };
}

/** In the ledger, they and the texts of refusals only repeat replies. */
function withoutDescriptions(status: OrganizationStatus): OrganizationStatus {
  const ledger = status.privateEndpoints?.map((full) => {
    const { description: _, lastError, ...entry } = full;
    const { message: __, ...error } = lastError ?? {};
    return { ...entry, ...(lastError && { lastError: error }) };
  });
  return { ...status, privateEndpoints: ledger };
}

function withoutFound(status: OrganizationStatus): OrganizationStatus {
  return {
    ...status,
    privateEndpoints: status.privateEndpoints?.filter(({ origin }) => origin !== 'Found'),
  };
}

/** The previous status with other fields, and without a plan: this is not Plan mode. */
export function merged(
  object: Organization,
  more: Partial<OrganizationStatus>,
): OrganizationStatus {
  return fitted(statusWith(object.status, more));
}
