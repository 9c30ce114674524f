/** A fault of one line that is put into a copy of the product: the oracles have to see it. */
export interface Planted {
  readonly name: string;
  /** What goes wrong, and when. */
  readonly harm: string;
  /** The file under src/, what stands there exactly once, and what is written in its place. */
  readonly change?: { readonly file: string; readonly find: string; readonly replace: string };
}

/** Listed before the judges were written, from the contract alone. */
export const PLANTED: readonly Planted[] = [
  {
    name: 'refused-change-stays-on-record',
    harm: 'A refused add (409) stays in pendingChange: what somebody else has, or adds within 15 minutes, counts as Added and is removed as ours.',
  },
  {
    name: 'unsent-change-in-the-final-status',
    harm: 'A change that was called off before its first byte is written with the final status: it reads as lost, and what somebody else adds counts as ours.',
  },
  {
    name: 'result-dropped-because-of-an-edit',
    harm: 'The status write meets a 409 because the spec was edited, and the result of the call is dropped: a withdrawn add reads as lost, or is found as not ours.',
  },
  {
    name: 'absence-judged-by-the-answer',
    harm: 'Whether a lost add can still land is judged by when the list was answered and not by when it was asked for: the add is sent again while the first may be at work.',
  },
  {
    name: 'lost-add-sent-again-at-once',
    harm: 'A list that lacks a lost add counts as proof at once, before --api-timeout + 60 s are over: the add is sent twice.',
  },
  {
    name: 'lost-add-claimed-for-ever',
    harm: 'A lost add that appears later than 15 minutes after it was written counts as Added: what somebody else added is removed as ours.',
  },
  {
    name: 'left-out-list-never-empty',
    harm: 'A list that is left out because it is empty, after somebody else removed ours, never counts as empty: the declared endpoints are never added again.',
  },
  {
    name: 'target-entered-before-the-permit',
    harm: 'The target is taken while the attempt still waits for its permit: two keys of one organization block each other for ever, or for as long as a line is.',
  },
  {
    name: 'change-without-an-observation',
    harm: 'An attempt decides by the inventory in the status without observing first: it adds what is there already and claims it.',
  },
  {
    name: 'found-counts-as-added',
    harm: 'A declared endpoint that the first observation shows counts as Added: it is removed when it leaves the spec, although somebody else put it there.',
  },
  {
    name: 'one-absence-forgets',
    harm: 'One list that lacks an endpoint of ours is enough to forget it: a list that is late by one call has us add it again, or leave it behind.',
  },
  {
    name: 'missing-is-never-forgotten',
    harm: 'An endpoint of ours that somebody else removed stays Missing for ever: it is never added again.',
  },
  {
    name: 'change-leaves-unpersisted',
    harm: 'An add or remove leaves before its pendingChange stands in the status: after a crash what it added is Found, and stays for ever.',
  },
  {
    name: 'change-leaves-after-a-failed-save',
    harm: 'The write of the pending change fails and the change is sent all the same.',
  },
  {
    name: 'lost-change-counts-as-refused',
    harm: 'A change that got a 5xx or no answer is taken back as if nothing had happened: what it added is Found, and stays after a deletion.',
  },
  {
    name: 'one-refusal-stops-the-others',
    harm: 'After a refused change with several items the attempt ends: one bad endpoint keeps all others out.',
  },
  {
    name: 'adoption-is-never-taken-back',
    harm: 'An Adopted endpoint stays ours after adoptPrivateEndpoints is taken back, and is removed when the object goes.',
  },
  {
    name: 'cap-counts-additions',
    harm: 'The cap on removals is compared with the wrong number: more removals than allowed are sent.',
  },
  {
    name: 'no-finalizer-before-the-change',
    harm: 'The finalizer is not put on before the first pending change: an object that is deleted early leaves its endpoints.',
  },
  {
    name: 'let-go-with-a-pending-change',
    harm: 'A deleted object is let go while an add of unknown outcome may still land: the endpoint stays for ever.',
  },
  {
    name: 'let-go-at-the-first-failure',
    harm: 'A cleanup ends at its first failed call and not at --cleanup-deadline.',
  },
  {
    name: 'let-go-without-a-try',
    harm: 'A process that starts after the cleanup deadline has passed lets the object go without a try.',
  },
  {
    name: 'vanished-secret-ends-the-cleanup',
    harm: 'A deletion whose Secret went first does not use the last value that was read: it waits, and leaves the endpoints.',
  },
  {
    name: 'outage-sends-the-name',
    harm: 'Three 503s make an observation send the declared name: the name that somebody else gave is overwritten by a look.',
  },
  {
    name: 'applied-while-unconfirmed',
    harm: 'Ready says Applied while a declared endpoint is Unconfirmed or Missing.',
  },
  {
    name: 'letters-of-an-endpoint-count',
    harm: 'Endpoints are compared with their letters: at an API that answers in capitals ours are absent, and are added again and again.',
  },
  {
    name: 'zero-and-false-are-not-sent',
    harm: 'Declared settings with the value 0 or false are left out of the PUT, and the object says Applied.',
  },
  {
    name: 'echo-is-not-compared',
    harm: 'A 200 counts as confirmation whatever its result says: an API that keeps another value is Applied.',
  },
  {
    name: 'lost-put-is-forgotten',
    harm: 'After a lost PUT and an edit the success of the new one is not followed by another: the old one lands last and stays.',
  },
  {
    name: 'suspension-is-not-seen-before-the-first-byte',
    harm: 'stillWanted is not asked between permit and first byte: a call leaves for an object that is suspended, deleted or edited meanwhile.',
  },
  {
    name: 'plan-mode-sends',
    harm: 'mode: Plan changes what the conditions say and not what is sent.',
  },
  {
    name: 'restart-sends-again',
    harm: 'After a restart what is Applied and unedited is sent once more.',
  },
  {
    name: 'time-on-record-is-forgotten',
    harm: 'After a restart nextAttemptTime is not kept: what failed is tried at once.',
  },
  {
    name: 'changed-secret-wakes-nobody',
    harm: 'An object whose key was refused is not tried when its Secret changes, and stays stuck until its wait ends.',
  },
  {
    name: 'younger-object-acts-too',
    harm: 'An object that waits for another one of the same target sends as well: the two overwrite each other.',
  },
  {
    name: 'key-in-a-reply-is-stored',
    harm: 'What a reply shows is stored unmasked: a key that the API echoes stands in the status.',
  },
  {
    name: 'later-answer-shortens-the-pause',
    harm: 'A second 429 with a shorter wait cuts the pause of the first: calls leave within it.',
  },
  {
    name: 'lease-is-not-asked-before-a-call',
    harm: 'A process that has stood still begins calls by a Lease that is over, beside the next leader.',
  },
  {
    name: 'result-not-kept-while-kubernetes-is-away',
    harm: 'A result whose status write fails is dropped: the call behind it is made once more.',
  },
  {
    name: 'status-of-another-uid',
    harm: 'A status write that meets a 409 does not compare the uid: an object that was made anew gets the inventory and conditions of the one before.',
  },
];
