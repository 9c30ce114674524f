import { choice, fields, integer, list, optional, text, timestamp } from '../schema/schema.ts';
import {
  applied,
  commonStatus,
  differences,
  drift,
  history,
  httpStatus,
  notReported,
  plan,
  proof,
  requestId,
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
  Missing: 'not in the last list, which a second list has to confirm',
  Unconfirmed: 'sent but not in a list yet',
  Refused: 'the API refused it',
  Removing: 'its removal was sent, but it is still in the list',
} as const;

/** `Added: added by this object. …` */
const explained = (words: Readonly<Record<string, string>>): string =>
  Object.entries(words)
    .map(([word, means]) => `${word}: ${means}.`)
    .join(' ');

const bounds = { field: LIMITS.field, value: LIMITS.value };

const reportedText = (about: string, max: number = LIMITS.reportedText) =>
  optional(text({ about, max }));

const organization = fields(
  'The organization as the API last reported it. A field that the response omitted is absent.',
  {
    id: reportedText('Its id.'),
    name: reportedText('Its name.', LIMITS.name),
    createdAt: reportedText('When it was created.'),
    privateEndpoints: optional(
      list(
        'All its private endpoints, including those of others; the first 200.',
        LIMITS.reportedEndpoints,
        fields('One private endpoint.', {
          id: reportedText('Its id.', LIMITS.id),
          description: reportedText(
            'Its description, cut at 64 characters.',
            LIMITS.reportedDescription,
          ),
          cloudProvider: reportedText('Its cloud provider.', LIMITS.cloudProvider),
          region: reportedText('Its region.', LIMITS.region),
        }),
      ),
    ),
    privateEndpointsTotal: optional(
      integer({
        about: 'Number of private endpoints in the response.',
        min: 0,
        max: Number.MAX_SAFE_INTEGER,
      }),
    ),
    byocConfig: optional(
      list(
        'Its bring-your-own-cloud configurations; the first 20.',
        LIMITS.byocConfigs,
        fields('One configuration.', {
          id: reportedText('Its id.'),
          state: reportedText('Its state, in the words of the API.'),
          accountName: reportedText('Its cloud account.'),
          regionId: reportedText('Its region.'),
          cloudProvider: reportedText('Its cloud provider.'),
        }),
      ),
    ),
  },
);

const identity = reportedIdentity({
  id: 'Its id.',
  cloudProvider: 'Its cloud provider.',
  region: 'Its region.',
});

const ledgerEntry = fields('One private endpoint.', {
  ...identity,
  description: reportedText(
    'Its description as last reported, cut at 64 characters.',
    LIMITS.ledgerDescription,
  ),
  origin: optional(
    choice(`${explained(ORIGINS)} Absent where the API does not have it.`, [
      'Added',
      'Adopted',
      'Found',
    ]),
  ),
  state: choice(explained(ENDPOINT_STATES), [
    'Present',
    'Missing',
    'Unconfirmed',
    'Refused',
    'Removing',
  ]),
  lastError: optional(
    fields('Why the API refused it.', {
      httpStatus,
      requestId,
      message: optional(
        text({ about: 'What the API said, cut at 200 characters.', max: LIMITS.ledgerMessage }),
      ),
    }),
  ),
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
    remove: changed('The private endpoints to remove.', LIMITS.ledger),
    refused: optional(fields('The API refused it.', { httpStatus, requestId })),
  },
);

export const status = fields(
  'What the operator did and what the API reported. Only the operator writes it.',
  {
    ...commonStatus,
    proof,
    applied: optional(applied({ most: 2, field: LIMITS.field })),
    organization: optional(organization),
    privateEndpoints: optional(
      list(
        'The private endpoints that this object owns, and those that it lists but that existed before. At most 220.',
        LIMITS.ledger,
        ledgerEntry,
      ),
    ),
    pendingChange: optional(pendingChange),
    differences: optional(differences({ ...bounds, most: LIMITS.differences })),
    notReported: optional(notReported({ ...bounds, most: LIMITS.differences })),
    drift: optional(drift({ ...bounds, most: LIMITS.drift })),
    plan: optional(
      plan({
        ...bounds,
        most: LIMITS.planChanges,
        requests: LIMITS.planRequests,
        body: LIMITS.body,
      }),
    ),
    history: optional(
      history({ ...bounds, most: LIMITS.historyChanges, value: LIMITS.historyValue }),
    ),
  },
);
