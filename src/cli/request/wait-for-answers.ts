import type { Found, Scope } from '../cluster/objects.ts';
import type { Context } from '../command.ts';
import type { Shell } from '../shell.ts';
import { UserError } from '../user-error.ts';
import { counted } from '../words.ts';
import { answerOf, shownReady } from './progress.ts';
import type { Row, Waited } from './row.ts';
import type { Action } from './verbs.ts';
import { type Group, watchUntilDone } from './waiting.ts';

/** Waits until the operator has acted on all that was written, and tells of each as it does. */
export async function waitForAnswers(
  context: Context,
  rows: readonly Row[],
  about: {
    readonly action: Action;
    readonly timeoutMs: number;
    readonly scope: Scope;
    readonly shell: Shell;
  },
): Promise<readonly Row[]> {
  const { terminal, clock, stop } = context;
  const { action, timeoutMs, scope } = about;
  const waitedFor = rows.flatMap(({ found }) => (found ? [found] : []));
  if (waitedFor.length === 0) return rows;
  const titles = new Map(rows.map(({ found, title }) => [uidOf(found), title]));
  const ends = new Map<string, Waited>();
  const end = (uid: string, waited: Waited, text: string): void => {
    ends.set(uid, waited);
    terminal.tell(`${titles.get(uid) ?? uid}: ${text}`);
  };
  terminal.tell(`Waiting for the operator to act on ${counted(waitedFor.length, 'object')} …`);
  const late = new AbortController();
  const cancel = clock.at(timeoutMs, () => late.abort());
  const signal = AbortSignal.any([stop, late.signal]);
  await Promise.all(
    groupsOf(waitedFor, scope).map(async (group) => {
      try {
        await watchUntilDone(
          context,
          group,
          {
            isDone(object) {
              const ready = answerOf(object, action);
              if (ready) end(object.metadata.uid, { end: 'acted', ready }, shownReady(ready));
              return ready !== undefined;
            },
            onGone: (uid) => end(uid, { end: 'deleted' }, 'was deleted meanwhile'),
          },
          signal,
        );
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        for (const found of group.objects)
          if (!ends.has(found.object.metadata.uid))
            ends.set(found.object.metadata.uid, { end: 'failed', error: error.message });
      }
    }),
  );
  cancel();
  const isStopped = stop.aborted;
  const left = waitedFor.filter(({ object }) => !ends.has(object.metadata.uid));
  for (const { object } of left)
    end(
      object.metadata.uid,
      { end: isStopped ? 'stopped' : 'timedOut' },
      'the operator has not acted yet',
    );
  if (left.length > 0 && !isStopped) terminal.tell(timedOut(left.length, about));
  return rows.map((row) => {
    const waited = ends.get(uidOf(row.found));
    return waited ? { ...row, waited } : row;
  });
}

function timedOut(
  count: number,
  { timeoutMs, shell }: { readonly timeoutMs: number; readonly shell: Shell },
): string {
  return `Waited ${timeoutMs / 1_000} s, and the operator has not acted on ${counted(count, 'object')}. What was written stays. To see whether an operator is running, watches this namespace and what it waits for: ${shell.plugin('doctor')}`;
}

function uidOf(found: Found | undefined): string {
  return found?.object.metadata.uid ?? '';
}

/** One watch for each kind. */
function groupsOf(all: readonly Found[], { namespace }: Scope): readonly Group[] {
  return [...Map.groupBy(all, ({ definition }) => definition)].map(([definition, objects]) => ({
    definition,
    namespace,
    objects,
  }));
}
