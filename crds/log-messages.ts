/** One message that the operator logs at level warn or above. */
export interface LogRow {
  readonly level: 'warn' | 'error' | 'fatal';
  /** Beside `level`, `time`, `msg` and the fields of an error. */
  readonly fields: readonly string[];
  readonly means: string;
}

/** A test holds this table against the calls of the logger in `src`. */
export const LOG_MESSAGES: Readonly<Record<string, LogRow>> = {
  'Kubernetes refused a request or did not answer; retrying': {
    level: 'warn',
    fields: ['kind', 'namespace', 'name', 'failures'],
    means:
      'A reconcile was not completed. It is repeated, with growing waits; if this process is stopping, the next process repeats it.',
  },
  'reconcile failed, a bug; retrying': {
    level: 'error',
    fields: ['kind', 'namespace', 'name', 'failures', 'errorStack'],
    means: 'Report it with this line. Other objects are not affected.',
  },
  'insecure-skip-tls-verify: whoever answers is taken for the API server and gets our credentials':
    {
      level: 'warn',
      fields: ['cluster'],
      means:
        'The kubeconfig turns the check of the certificate off. Give it certificate-authority-data instead.',
    },
  'cannot list or watch; retrying': {
    level: 'warn',
    fields: ['path', 'status', 'reason'],
    means:
      'Check the connection to the API server and the rights of the ServiceAccount; the error names a missing right or CRD.',
  },
  'a namespace could not be listed for 30 s; continuing without it': {
    level: 'warn',
    fields: ['list'],
    means:
      'The other namespaces are worked on. This one is asked for again, and worked on as soon as its list is allowed.',
  },
  'event dropped': {
    level: 'warn',
    fields: ['namespace', 'name', 'note'],
    means:
      'The API server did not take it; the error says why. Objects are reconciled all the same. The note is what the event would have said.',
  },
  'event dropped: too many wait': {
    level: 'warn',
    fields: ['namespace', 'name', 'note'],
    means:
      'Kubernetes does not take events as fast as they come: 1,000 wait. The note is what the event would have said.',
  },
  'stopping with unsent events': {
    level: 'warn',
    fields: ['events'],
    means: 'The API server did not accept them within 5 s.',
  },
  'cannot use the leader election Lease; retrying': {
    level: 'warn',
    fields: ['name'],
    means: 'Without the Lease nothing is applied. Check the rights of the ServiceAccount.',
  },
  'lost the leadership': {
    level: 'warn',
    fields: ['identity', 'holder'],
    means:
      'The Lease was not renewed for 10 s, or the process in the field `holder` has it now. The process ends with exit code 1. Another replica continues, or this Pod once it has started again.',
  },
  'deleting an Organization whose private endpoints may be left at the API': {
    level: 'warn',
    fields: ['kind', 'namespace', 'name', 'organizationId', 'left'],
    means: 'As the event CleanupAbandoned. Remove them at the API if they are not wanted.',
  },
  'a reconcile did not end within the grace period; aborting its call and stopping': {
    level: 'warn',
    fields: [],
    means:
      'A call to the management API or a write of a status had no answer by then. The next process takes up the object where its status ends.',
  },
  'error in the health server': {
    level: 'error',
    fields: [],
    means: 'Of the server for /livez, /readyz and /metrics.',
  },
  'cannot run': {
    level: 'fatal',
    fields: [],
    means: 'The process exits with code 1. The error says what to correct.',
  },
  'uncaught error, a bug; the process exits': {
    level: 'fatal',
    fields: ['kind', 'errorStack'],
    means: 'Report it with this line. The Pod is restarted.',
  },
};
