import * as piece from '../schema/schema.ts';
import * as shared from '../schema/status-fields.ts';
import { LIMITS, reportedIdentity } from './endpoints.ts';

const { integer, optional, text, list, fields, someOf, timestamp } = piece;

/** Why an endpoint is ours or not. */
export const ORIGINS = {
  Added: 'added by this object',
  Adopted: 'existed before this object listed it, and is owned by it now',
  Found: 'existed before this object listed it; never removed',
} as const;

export const ENDPOINT_STATES = {
  Present: 'in the last list of the API',
  Missing: 'not in the last list; a second list must confirm this',
  Unconfirmed: 'sent but not in a list yet',
  Refused: 'the API refused it',
  Removing: 'its removal was sent, but it is still in the list',
} as const;

const REPORTED =
  'The organization as the API last reported it. A field that the response omitted is absent.';
const PENDING = 'What is being sent: saved before, and cleared once a response shows the outcome.';
const ALL_ENDPOINTS = 'All its private endpoints, including those of others; the first 200.';
const INVENTORY =
  'The private endpoints that this object owns, and those that it lists but that existed before. At most 220.';
const LEFT_OUT =
  'Time since which every response has omitted the private endpoints. Absent: the last response had them, or they are not managed.';

function oneOf<Word extends string>(words: Readonly<Record<Word, string>>, more: string[] = []) {
  const means = Object.entries<string>(words).map(([word, text]) => `${word}: ${text}.`);
  return piece.choice([...means, ...more].join(' '), Object.keys(words) as [Word, ...Word[]]);
}

const reported = (about: string) => text(about, 64);
const description = text('Its description as reported, cut at 64 characters.', 64);

const reportedEndpoint = someOf('One private endpoint.', { ...reportedIdentity, description });
const byocConfig = someOf('One configuration.', {
  id: reported('Its id.'),
  state: reported('Its state, in the words of the API.'),
  accountName: reported('Its cloud account.'),
  regionId: reported('Its region.'),
  cloudProvider: reported('Its cloud provider.'),
});

/** As the API last reported it, in the bounds of a status. */
export const reportedOrganization = someOf(REPORTED, {
  id: reported('Its id.'),
  name: text('Its name.', LIMITS.name),
  createdAt: reported('When it was created.'),
  privateEndpoints: list(ALL_ENDPOINTS, 200, reportedEndpoint),
  privateEndpointsTotal: integer('Number of all private endpoints.', 0, Number.MAX_SAFE_INTEGER),
  byocConfig: list('Its bring-your-own-cloud configurations; the first 20.', 20, byocConfig),
});

const lastError = someOf('Why the API refused it.', {
  httpStatus: shared.httpStatus,
  requestId: shared.requestId,
  message: text('What the API said, cut at 200 characters.', 200),
});
const inventoryEntry = fields('One private endpoint.', {
  ...reportedIdentity,
  description: optional(description),
  origin: optional(oneOf(ORIGINS, ['Absent: the API refused to add it.'])),
  state: oneOf(ENDPOINT_STATES),
  since: optional(timestamp('When it went into pendingChange, or was first missing in the list.')),
  lastError: optional(lastError),
  attempts: optional(shared.attempts),
  nextAttemptTime: optional(timestamp('Earliest time to send it again or check the list for it.')),
});

const changed = fields('One private endpoint.', reportedIdentity);
const pendingChange = fields(PENDING, {
  time: timestamp('When it was saved.'),
  add: list('The private endpoints to add.', LIMITS.endpoints, changed),
  remove: list('The private endpoints to remove.', LIMITS.inventory, changed),
});

export const status = shared.statusOf({
  ...shared.writeStatus(LIMITS),
  organization: reportedOrganization,
  privateEndpoints: list(INVENTORY, LIMITS.inventory, inventoryEntry),
  pendingChange,
  listLeftOutSince: timestamp(LEFT_OUT),
});
