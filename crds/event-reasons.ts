/** One row of the table of events. */
export interface EventRow {
  readonly type: 'Normal' | 'Warning';
  readonly when: string;
}

/**
 * Reasons of events beside those of failures, which come as a Warning when the failure is new. A
 * test holds every reason in `src/kinds` against this table and the one of `Ready`.
 */
export const EVENTS: Readonly<Record<string, EventRow>> = {
  Applied: {
    type: 'Normal',
    when: 'The API confirmed a change of something that was applied before, or the object recovered from a failure.',
  },
  Fetched: { type: 'Normal', when: 'The record of an Activity was fetched after a failure.' },
  DriftDetected: {
    type: 'Warning',
    when: 'A response shows a change that the operator did not make: a setting that nobody declares, the name, or a private endpoint that is gone.',
  },
  NoLongerManaged: {
    type: 'Normal',
    when: 'A setting, or the list of private endpoints, left the spec. The API keeps what it has; the event says what.',
  },
  EndpointLeft: {
    type: 'Normal',
    when: 'A private endpoint with origin Found that spec no longer lists stays at the API and is no longer tracked.',
  },
  OwnershipUnknown: {
    type: 'Warning',
    when: 'A private endpoint exists, but it is not known whether a request of this object added it. The object does not own it.',
  },
  OwnershipLost: {
    type: 'Warning',
    when: 'Private endpoints are no longer tracked as those of this object, because --api-url has changed.',
  },
  AddNotConfirmed: {
    type: 'Warning',
    when: 'A private endpoint was sent but never seen in the list of the API.',
  },
  ChangeRefused: {
    type: 'Warning',
    when: 'The API refused a change of several private endpoints at once. Each is then sent by itself.',
  },
  CleanupAbandoned: {
    type: 'Warning',
    when: 'An Organization was deleted although private endpoints that it owned may be left at the API. The event names them.',
  },
};
