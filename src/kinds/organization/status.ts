import {
  choice,
  fields,
  integer,
  list,
  optional,
  someOf,
  text,
  timestamp,
} from '../schema/schema.ts';
import {
  attempts,
  commonStatus,
  httpStatus,
  requestId,
  writeStatus,
} from '../schema/status-fields.ts';
import { reportedIdentity } from './endpoints/identity.ts';
import { LIMITS } from './limits.ts';

/** Why an endpoint is ours or not. */
export const ORIGINS = {
  Added: 'added by this object',
  Adopted: 'existed before this object listed it, and is owned by it now',
  Found: 'existed before this object listed it; never removed',
} as const;

/** How an endpoint stands at the API. */
export const ENDPOINT_STATES = {
  Present: 'in the last list of the API',
  Missing: 'not in the last list, which a second one has to confirm',
  Unconfirmed: 'sent but not in a list yet',
  Refused: 'the API refused it',
  Removing: 'its removal was sent, but it is still in the list',
} as const;

/** `Added: added by this object. …` */
const explained = (words: Readonly<Record<string, string>>): string =>
  Object.entries(words)
    .map(([word, means]) => `${word}: ${means}.`)
    .join(' ');

const ORIGIN_WORDS = ['Added', 'Adopted', 'Found'] as const;
const STATE_WORDS = ['Present', 'Missing', 'Unconfirmed', 'Refused', 'Removing'] as const;

const reported = (about: string, max: number = LIMITS.reportedText) => text(about, max);

const reportedEndpoint = someOf('One private endpoint.', {
  id: reported('Its id.', LIMITS.id),
  description: reported('Its description, cut at 64 characters.', LIMITS.reportedDescription),
  cloudProvider: reported('Its cloud provider.', LIMITS.cloudProvider),
  region: reported('Its region.', LIMITS.region),
});

const byocConfig = someOf('One configuration.', {
  id: reported('Its id.'),
  state: reported('Its state, in the words of the API.'),
  accountName: reported('Its cloud account.'),
  regionId: reported('Its region.'),
  cloudProvider: reported('Its cloud provider.'),
});

export const reportedOrganization = someOf(
  'The organization as the API last reported it. A field that the response omitted is absent.',
  {
    id: reported('Its id.'),
    name: reported('Its name.', LIMITS.name),
    createdAt: reported('When it was created.'),
    privateEndpoints: list(
      'All its private endpoints, including those of others; the first 200.',
      LIMITS.reportedEndpoints,
      reportedEndpoint,
    ),
    privateEndpointsTotal: integer(
      'Number of private endpoints in the response.',
      0,
      Number.MAX_SAFE_INTEGER,
    ),
    byocConfig: list(
      'Its bring-your-own-cloud configurations; the first 20.',
      LIMITS.byocConfigs,
      byocConfig,
    ),
  },
);

const identity = reportedIdentity({
  id: 'Its id.',
  cloudProvider: 'Its cloud provider.',
  region: 'Its region.',
});

const inventoryEntry = fields('One private endpoint.', {
  ...identity,
  description: optional(
    text('Its description as last reported, cut at 64 characters.', LIMITS.inventoryDescription),
  ),
  origin: optional(
    choice(`${explained(ORIGINS)} Absent where the API does not have it.`, ORIGIN_WORDS),
  ),
  state: choice(explained(ENDPOINT_STATES), STATE_WORDS),
  since: optional(
    timestamp('When its add or removal was saved to be sent, or when it was first missed.'),
  ),
  lastError: optional(
    someOf('Why the API refused it.', {
      httpStatus,
      requestId,
      message: text('What the API said, cut at 200 characters.', LIMITS.inventoryMessage),
    }),
  ),
  attempts: optional(attempts),
  nextAttemptTime: optional(
    timestamp('The earliest time at which it is sent again or looked for again.'),
  ),
});

const changed = (about: string, most: number) =>
  list(about, most, fields('One private endpoint.', identity));

const pendingChange = fields(
  'What is being sent: saved before sending, and cleared once a response shows the outcome.',
  {
    time: timestamp('When it was saved.'),
    add: changed('The private endpoints to add.', LIMITS.endpoints),
    remove: changed('The private endpoints to remove.', LIMITS.inventory),
  },
);

export const status = someOf(
  'What the operator did and what the API reported. Only the operator writes it.',
  {
    ...commonStatus,
    ...writeStatus(LIMITS),
    organization: reportedOrganization,
    privateEndpoints: list(
      'The private endpoints that this object owns, and those that it lists but that existed before. At most 220.',
      LIMITS.inventory,
      inventoryEntry,
    ),
    pendingChange,
    listLeftOutSince: timestamp(
      'Since when every response has left out the list of private endpoints.',
    ),
  },
);
