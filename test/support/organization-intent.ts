import { Notebook } from '../../src/kinds/organization/attempt/notebook.ts';
import type {
  Organization,
  OrganizationStatus,
  PendingChange,
} from '../../src/kinds/organization/resource.ts';
import { at, e } from './organization-entries.ts';
import { API_TIMEOUT_MS, anOrganization } from './organization-objects.ts';

/** So long a change may be at work since it was sent, or first seen. */
export const AT_WORK = API_TIMEOUT_MS + 60_000;
export const PENDING: PendingChange = { time: at(0), add: [e('a')], remove: [] };

export function book(): Notebook {
  return new Notebook(AT_WORK);
}

export function stored(status: OrganizationStatus): Organization {
  return anOrganization({ ids: ['a'], status });
}

/** Its status has an intent. */
export const open = stored({ pendingChange: PENDING });
