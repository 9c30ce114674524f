import type { Mutation } from '../mutation/mutation.ts';

/**
 * A fault of one line that is put into a copy of the product: the oracles have to see it. `name` is
 * what goes wrong, and when: by its beginning it is called.
 */
export type Planted = Pick<Mutation, 'name' | 'file' | 'from' | 'to'>;

/** Listed before the judges were written, from the contract alone. */
export const PLANTED: readonly Planted[] = [
  {
    name: 'A refused add stays on record, and what others have counts as Added',
    file: 'kinds/organization/attempt.ts',
    from: 'known.draft = { ...known.draft, pendingChange: undefined }',
    to: 'known.draft = { ...known.draft }',
  },
  {
    name: 'A change that never left is written with the final status, and reads as lost',
    file: 'kinds/organization/attempt.ts',
    from: 'known.draft = { ...known.draft, pendingChange: undefined }',
    to: 'if (verdict) known.draft = { ...known.draft, pendingChange: undefined }',
  },
  {
    name: 'A result is dropped because the spec was edited: its add reads as lost',
    file: 'controller/status-writer.ts',
    from: "found?.metadata.uid !== uid) return 'gone'",
    to: "found?.metadata.generation !== known.object.metadata.generation) return 'dropped'",
  },
  {
    name: 'One list that lacks a lost add proves at once that it is lost: it is sent twice',
    file: 'kinds/organization/settle.ts',
    from: 'if (age < settleMs)\n    return',
    to: 'if (age < 0)\n    return',
  },
  {
    name: 'A lost add that appears hours later is Added: what others added is removed as ours',
    file: 'kinds/organization/settle.ts',
    from: 'reported && age <= SAME_ENDPOINT_MS',
    to: 'reported',
  },
  {
    name: 'The target is entered before the permit: one key in a pause holds up another',
    file: 'kinds/shared/calls.ts',
    from: 'if (this.#granted) return undefined;',
    to: "if (this.#granted) return undefined;\n    if (!this.#hasTarget && !targets.enter(`${target}`, id)) return { type: 'target-busy' };\n    this.#hasTarget = true;",
  },
  {
    name: 'An attempt adds by its inventory without observing, and claims what is there',
    file: 'kinds/organization/work.ts',
    from: '    this.draft = draft;',
    to: '    this.draft = draft;\n    this.list = { find: () => undefined, withId: () => [] } as never;\n    this.observedAt = Date.now();',
  },
  {
    name: 'A declared endpoint of others that is found counts as Added, and is removed as ours',
    file: 'kinds/organization/settle.ts',
    from: "present(tuple, reported, 'Found'), remark",
    to: "present(tuple, reported, 'Added')",
  },
  {
    name: 'One list that lacks an endpoint of ours is enough to forget it and add it again',
    file: 'kinds/organization/settle.ts',
    from: "if (entry.state !== 'Missing') return { entry: missed(entry, askedAt) }",
    to: "if (state !== 'Missing') return { remark: 'vanished' }",
  },
  {
    name: 'An endpoint of ours that others removed stays Missing, and is never added again',
    file: 'kinds/organization/settle.ts',
    from: 'if (age < ENDPOINT_MISSED_AGAIN_MS) return',
    to: 'if (age >= 0) return',
  },
  {
    name: 'A change leaves before its pendingChange is written',
    file: 'kinds/organization/attempt.ts',
    from: 'if (!(await persist(work, known, { ...known.draft, pendingChange: change }))) return',
    to: 'if (!change) return',
  },
  {
    name: 'A change leaves although the write of its pendingChange has failed',
    file: 'kinds/organization/attempt.ts',
    from: '!(await persist(work, known, { ...known.draft, pendingChange: change }))',
    to: '!(await persist(work, known, { ...known.draft, pendingChange: change })) && !change',
  },
  {
    name: 'A change without an answer counts as refused: what it added stays for ever',
    file: 'kinds/organization/attempt.ts',
    from: "verdict?.outcome === 'Unknown'",
    to: "verdict?.outcome === 'Never'",
  },
  {
    name: 'One refused endpoint keeps all others out',
    file: 'kinds/organization/attempt.ts',
    from: '(await persist(work, known, known.draft)) ? undefined',
    to: '(await persist(work, known, known.draft)) ? DONE',
  },
  {
    name: 'An Adopted endpoint stays ours after adoptPrivateEndpoints is taken back',
    file: 'kinds/organization/settle.ts',
    from: "goal.adoptPrivateEndpoints && (origin === 'Adopted' || isListedIn(goal, entry))",
    to: "origin === 'Adopted' || (goal.adoptPrivateEndpoints && isListedIn(goal, entry))",
  },
  {
    name: 'The cap on removals is compared with the additions',
    file: 'kinds/organization/decide.ts',
    from: 'unwanted.length > goal.mostRemovals',
    to: 'missingOf(question).length > goal.mostRemovals',
  },
  {
    name: 'The finalizer is not put on before the first change: a deletion leaves endpoints',
    file: 'kinds/organization/attempt.ts',
    from: 'needsFinalizer = resource.mayRemove(object)',
    to: 'needsFinalizer = !resource.mayRemove(object)',
  },
  {
    name: 'A deleted object is let go while its add may still land',
    file: 'kinds/organization/deletion.ts',
    from: 'left.length === 0 && !pendingChange',
    to: 'left.length === 0 || pendingChange !== undefined',
  },
  {
    name: 'A cleanup ends at its first failed call, long before --cleanup-deadline',
    file: 'kinds/organization/deletion.ts',
    from: 'isOver = isOverdue() && ways',
    to: 'isOver = ways',
  },
  {
    name: 'A process that starts after --cleanup-deadline lets go without a try',
    file: 'kinds/organization/deletion.ts',
    from: 'isOverdue() && ways.hasFailedCleanup',
    to: 'isOverdue()',
  },
  {
    name: 'A deletion whose Secret went first forgets the last key that was read',
    file: 'kinds/shared/keys.ts',
    from: 'this.#last.get(keyOf(object)) ?? read',
    to: 'read',
  },
  {
    name: 'Three 503s make an observation send the declared name',
    file: 'kinds/organization/remote.ts',
    from: 'httpStatus === 500 && isJson === true',
    to: 'httpStatus >= 500',
  },
  {
    name: 'Ready says Applied while a declared endpoint is Unconfirmed or Missing',
    file: 'kinds/organization/problem.ts',
    from: 'if (open.length === 0) return',
    to: 'if (open.length >= 0) return',
  },
  {
    name: 'Endpoints are compared with their letters: in capitals ours are absent',
    file: 'kinds/organization/endpoints.ts',
    from: '[plain(id), plain(cloudProvider), plain(region)]',
    to: '[id, cloudProvider, region]',
  },
  {
    name: 'Declared settings with the value 0 or false are left out of the PUT',
    file: 'kinds/pipe-settings/remote.ts',
    from: 'return value === undefined ? [] :',
    to: 'return !value ? [] :',
  },
  {
    name: 'A 200 confirms whatever its result says: an API that keeps another value is Applied',
    file: 'kinds/pipe-settings/report.ts',
    from: 'const isAsDeclared = differences.length === 0;',
    to: 'const isAsDeclared = true;',
  },
  {
    name: 'stillWanted is not asked before the first byte: a call leaves for an old spec',
    file: 'kinds/shared/calls.ts',
    from: '!context.stillWanted() || !permit.begin()',
    to: '!permit.begin()',
  },
  {
    name: 'In Plan what should only be shown is sent',
    file: 'kinds/shared/declared.ts',
    from: "spec.mode === 'Plan' || planOnly",
    to: 'planOnly',
  },
  {
    name: 'After a restart what is Applied and unedited is sent once more',
    file: 'kinds/shared/declared.ts',
    from: 'confirmed = isHeld',
    to: 'confirmed = facts.triedSecret !== undefined && isHeld',
  },
  {
    name: 'After a restart nextAttemptTime is not kept: what failed is tried at once',
    file: 'kinds/shared/due.ts',
    from: 'isSecretNew(ready.reason, facts)) return',
    to: 'facts.triedSecret === undefined) return',
  },
  {
    name: 'A changed Secret wakes nobody: an object stays stuck until its wait ends',
    file: 'kinds/shared/objects.ts',
    from: "enqueue(id, 'scheduled');",
    to: '',
  },
  {
    name: 'An object that waits for the owner of its target sends as well',
    file: 'kinds/shared/declared.ts',
    from: "if (ownership.type === 'waits')",
    to: "if (ownership.type === 'waits' && !spec)",
  },
  {
    name: 'A key that the API echoes is stored in the status',
    file: 'api/reply.ts',
    from: 'masked(result, mask)',
    to: 'result',
  },
  {
    name: 'A result whose status write fails is dropped, and its call made once more',
    file: 'controller/worker.ts',
    from: 'return !giveUp.aborted;',
    to: 'return false;',
  },
  {
    name: 'An object that was made anew gets the status of the one before',
    file: 'controller/status-writer.ts',
    from: "found?.metadata.uid !== uid) return 'gone'",
    to: "!found) return 'gone'",
  },
  {
    name: 'A second 429 with a shorter wait cuts the pause of the first',
    file: 'api/line.ts',
    from: 'Math.max(this.#pausedUntil, this.pausedAt + pauseMs)',
    to: 'this.pausedAt + pauseMs',
  },
  {
    name: 'A process that stood still begins a call by a Lease that is over',
    file: 'kube/lease.ts',
    from: '=> isLeader && isFresh(),',
    to: '=> isLeader,',
  },
  {
    name: 'Absence is judged by when a list was answered: a deletion leaves what lands meanwhile',
    file: 'kinds/organization/observation.ts',
    from: 'askedAt: sentAt',
    to: 'askedAt: now',
  },
  {
    name: 'A list left out since others removed ours never counts as empty',
    file: 'kinds/organization/observation.ts',
    from: 'LEFT_OUT_IS_EMPTY_MS : LEFT_OUT_ALL_GONE_MS;',
    to: 'LEFT_OUT_IS_EMPTY_MS : Number.POSITIVE_INFINITY;',
  },
  {
    name: 'After a lost PUT and an edit no PUT follows: what lands last is the old one',
    file: 'kinds/pipe-settings/report.ts',
    from: 'settlesInMs ? before : undefined',
    to: 'settlesInMs && !before ? before : undefined',
  },
];
