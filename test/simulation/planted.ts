/** A fault of one line that is put into a copy of the product, to see whether the hunt finds it. */
export interface Planted {
  readonly name: string;
  /** The file under src/. */
  readonly file: string;
  /** What stands there exactly once, and what is written in its place. */
  readonly from: string;
  readonly to: string;
  /** What goes wrong, and when. */
  readonly harm: string;
  /** The invariant that shows it, and the first life that does. */
  readonly rule: string;
  readonly seed: number;
  /** It is a life of two tenants. */
  readonly isTenants?: true;
}

/**
 * Chosen by two who had read the product and its contract, and nothing of the simulation: sixteen
 * by the one, seven of ten by the other.
 */
export const PLANTED: readonly Planted[] = [
  {
    name: 'edit-met-in-conflict-wakes-nobody',
    file: 'controller/status-writer.ts',
    from: 'if (found) kind.put(found, known);',
    to: 'if (found) kind.putOwnWrite(found, known, found.status ?? {});',
    harm: "When a status write meets a 409 because the user has just edited the object, and the watch is a little behind, the edit enters the cache without waking its key and the watch's event is then no news: the edit is never acted on.",
    rule: 'I4 unseen',
    seed: 363,
  },
  {
    name: 'lease-released-while-passes-run',
    file: 'leadership.ts',
    from: 'working.then(resign, resign);',
    to: 'resign();',
    harm: 'At SIGTERM the Lease is given back at once while calls are still under way: the next leader starts calls for the same targets beside them, and repeats calls whose status is not written yet.',
    rule: 'call beside',
    seed: 60,
  },
  {
    name: 'taken-over-with-old-knowledge',
    file: 'process.ts',
    from: 'formerVersion === undefined ? synced : reached(formerVersion)',
    to: 'synced',
    harm: 'A standby begins as soon as it has the Lease, also where its watch has not told it yet what the former leader did last: it sends the same once more.',
    rule: 'call unread',
    seed: 344,
  },
  {
    name: 'credential-told-by-key-id-alone',
    file: 'kinds/engine/credentials.ts',
    from: '.update(JSON.stringify([keyId, keySecret, options.baseUrl]))',
    to: '.update(JSON.stringify([keyId, options.baseUrl]))',
    harm: "Somebody else's Secret with the same key id and a wrong secret shares pace, pause and gate with the good one: its 401 stops all calls of the other tenant, and a key whose secret part was mended stays behind the closed gate.",
    rule: 'said unauthorized',
    seed: 30,
  },
  {
    name: 'keys-inside-lists-not-masked',
    file: 'kinds/engine/masked.ts',
    from: 'if (Array.isArray(value)) return value.map((item) => masked(item, mask));',
    to: 'if (Array.isArray(value)) return value;',
    harm: "When the API echoes the key or the Authorization header in something inside a list of a 200 reply (an endpoint's description, a BYOC entry, an unknown setting that is a list), it is stored in status in clear.",
    rule: 'key leaked',
    seed: 12,
  },
  {
    name: 'rate-forgets-calls-under-way',
    file: 'api/limiter/rate-window.ts',
    from: 'return this.#calls - this.#taken - this.#freeing.length;',
    to: 'return this.#calls - this.#freeing.length;',
    harm: 'Calls that have started and not ended do not count against --api-rate, so with several objects on one credential and slow answers more than N calls start in a window (up to in-flight minus one too many).',
    rule: 'pace rate',
    seed: 49,
  },
  {
    name: 'timed-out-call-counts-as-unsent',
    file: 'api/http/client.ts',
    from: "if (by === 'deadline') return { answered: false, sent, cause: describeTimeout(site) };",
    to: "if (by === 'deadline') return { answered: false, sent: false, cause: describeTimeout(site) };",
    harm: 'A write that got no answer until the deadline is reported as Unavailable (nothing reached the API) instead of OutcomeUnknown, and an Organization sends the same add or remove again without a look while the first may still be at work.',
    rule: 'said unsent',
    seed: 32,
  },
  {
    name: 'zero-and-false-never-sent',
    file: 'kinds/pipe-settings/remote.ts',
    from: '.filter((name) => spec.settings[name] !== undefined)',
    to: '.filter((name) => spec.settings[name])',
    harm: 'Declared settings with the value 0 or false are left out of the PUT (which becomes {} where there are no others), and the object says Applied all the same.',
    rule: 'said applied',
    seed: 9,
  },
  {
    name: 'error-object-in-200-passes',
    file: 'api/reply/verdict.ts',
    from: "if (error !== undefined || oddError) return 'its body carries an error';",
    to: "if (error !== undefined) return 'its body carries an error';",
    harm: 'A 200 whose body has a result and an error that is an object (not a text) counts as confirmation: the status falsely says Applied or Fetched.',
    rule: 'said applied',
    seed: 338,
  },
  {
    name: 'far-off-retry-not-pulled-in',
    file: 'kinds/status/due.ts',
    from: "if (at <= wholeSecond(now + longestWait(ready.reason))) return { do: 'nothing', at };",
    to: "if (now <= wholeSecond(at + longestWait(ready.reason))) return { do: 'nothing', at };",
    harm: "After the wall clock was set back (or a restart with a status from a clock that ran ahead) a failed object waits for the time on record, hours or days off, instead of at most its class's longest wait.",
    rule: 'promise far',
    seed: 1314,
  },
  {
    name: 'open-intent-overwritten-without-a-look',
    file: 'kinds/organization/ledger/ledger.ts',
    from: 'if (!reported) return isSettled(evidence) ? givenUp : stillOpen(tuple, evidence);',
    to: 'if (!reported) return givenUp;',
    harm: 'After a crash between intent and result, or an edit after a lost answer, a new intent is written over the open one and sent without a look: an add goes out twice while the first may be at work, and what the overwritten intent added is lost from the ledger.',
    rule: 'restore forwards',
    seed: 1252,
  },
  {
    name: 'deletion-forgets-open-add',
    file: 'kinds/organization/cleanup.ts',
    from: 'const pending = pendingChange && !isUnsent(notes, pendingChange) ? pendingChange.add : [];',
    to: 'const pending = pendingChange && !isUnsent(notes, pendingChange) ? pendingChange.remove : [];',
    harm: 'An Organization with RemovePrivateEndpoints that is deleted while the outcome of its add is unknown (lost answer, crash) is let go at once: the endpoint stays at the API for ever and nobody is told.',
    rule: 'I5 left-spelled',
    seed: 47,
  },
  {
    name: 'recreated-object-gets-old-status',
    file: 'controller/status-writer.ts',
    from: 'return found?.metadata.uid === uid ? found : undefined;',
    to: 'return found;',
    harm: "When an object is deleted and made again under its name during a call, and the status write meets the conflict, the old object's result is written to the new one: a new Activity keeps another's record as Fetched for ever, a new Organization gets a ledger that is not its own, a new PipeSettings is falsely Ready.",
    rule: 'held unproven',
    seed: 90,
  },
  {
    name: 'suspend-waits-for-open-intent',
    file: 'kinds/organization/plan.ts',
    from: 'if (spec.suspend)',
    to: 'if (spec.suspend && !object.status?.pendingChange)',
    harm: 'An Organization that is suspended while an intent is open (lost answer, outage, refused key, crash) goes on making calls, changes included, although spec.suspend is true, and does not say Suspended.',
    rule: 'call suspended',
    seed: 62,
  },
  {
    name: 'request-hash-without-base-url',
    file: 'kinds/pipe-settings/remote.ts',
    from: "hash: digestOf('PUT', baseUrl, path, body),",
    to: "hash: digestOf('PUT', path, body),",
    harm: 'After a restart with another --api-url every PipeSettings stays Applied and Ready by its old status, and its settings are never sent to the new API.',
    rule: 'I4 not-there',
    seed: 17,
  },
  {
    name: 'fetched-activity-ignores-edit',
    file: 'kinds/activity/plan.ts',
    from: "if (currentReady(object, status)?.reason === 'Fetched') return",
    to: "if (status?.conditions?.[0]?.reason === 'Fetched') return",
    harm: 'A fetched Activity whose spec is edited (another Secret, say) never gets its observedGeneration moved: kubectl wait, Flux and Argo CD see it in progress for ever.',
    rule: 'I4 unseen',
    seed: 37,
  },
  {
    name: 'edited-secret-ref-not-followed',
    file: 'kinds/engine/kind-store.ts',
    from: 'else secrets.refer(idOf(key), now.metadata.namespace, name);',
    to: 'else if (!before) secrets.refer(idOf(key), now.metadata.namespace, name);',
    harm: 'After credentialsSecretRef of a living object is edited, the newly named Secret is not watched, so its appearance or rotation wakes nobody and the object stays stuck until its back-off ends.',
    rule: 'promise SecretNotFound',
    seed: 319,
  },
  {
    name: 'mask-only-first-occurrence',
    file: 'redaction.ts',
    from: 'if (length === 0) continue;',
    to: 'if (length === 0 || spans.length > 0) continue;',
    harm: 'Where a reply repeats the key, or holds both key id and secret, only the first occurrence is masked and the rest of the credential stands readable in status, events and logs.',
    rule: 'key leaked',
    seed: 60,
  },
  {
    name: 'later-answer-shortens-pause',
    file: 'api/limiter/credential-limiter.ts',
    from: 'this.#pausedUntil = Math.max(this.#pausedUntil, now + waitMs);',
    to: 'this.#pausedUntil = now + waitMs;',
    harm: 'With several calls in flight, a later 429 or 503 with a shorter wait cuts short the long pause the server asked for, so calls leave during the pause.',
    rule: 'pace pause',
    seed: 830,
  },
  {
    name: '408-counts-as-refusal',
    file: 'api/reply/verdict.ts',
    from: '  [408, SERVER],\n',
    to: '',
    harm: "A write answered with 408 may have been carried out, but counts as refused: the object is Stalled for 10 minutes or more with a false outcome, and an endpoint that was added after all is taken for somebody else's.",
    rule: 'said outcome',
    seed: 12,
  },
  {
    name: 'unknown-secret-counts-as-changed',
    file: 'kinds/status/due.ts',
    from: "if (!ready || secret.state === 'unknown') return false;",
    to: 'if (!ready) return false;',
    harm: "After a restart, before the Secret's watch has answered, every object that is Unauthorized, Forbidden or lacks its Secret counts as due, so refused calls are made again ahead of their recorded back-off at each restart.",
    rule: 'call early',
    seed: 36,
  },
];
