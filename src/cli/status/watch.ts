import type { Cancel, Clock } from '../../clock.ts';
import { timestamp } from '../../kinds/status/canonical.ts';
import { keyOf } from '../../kube/resource.ts';
import type { KubectlError } from '../cluster/kubectl.ts';
import { type Found, type Scope, shortNameOf } from '../cluster/objects.ts';
import type { Context } from '../command.ts';
import { Stopped, signalOf, stoppedByUser } from '../user-error.ts';
import { followObjects } from './follow.ts';
import { cellsOf, inOrder, itemOf, noneIn, type Row, rowOf } from './rows.ts';
import { fitting, screenOf } from './screen.ts';

interface How {
  readonly json: boolean;
  readonly check: boolean;
}

/** Changes that come together are shown together. */
const TOGETHER_MS = 100;
/** What a screen says of time is never older. */
const FRESH_MS = 5_000;

export function notShown({ message }: KubectlError): string {
  return `not shown: ${message}`;
}

/**
 * Shows how objects stand until Ctrl-C, or with `check` until all are ready. Throws Stopped where
 * nobody reads it any more, at any signal but Ctrl-C, and with `check` at Ctrl-C too: nobody may
 * take that for ready. With `check` a kind that may not be listed is thrown at once.
 */
export async function watchStatus(context: Context, scope: Scope, how: How): Promise<0> {
  const { terminal, clock, stop } = context;
  const { unread } = terminal;
  const ended = new AbortController();
  const isScreen = terminal.isScreen && !how.json;
  const show = isScreen ? onScreen(context, scope) : inLines(context, scope, how);
  let objects: readonly Found[] = [];
  let hidden: readonly KubectlError[] | undefined;
  const next = new Next(clock, () => {
    const rows = inOrder(objects.map(rowOf));
    show(rows, hidden ?? []);
    if (how.check && rows.every(({ standing }) => standing.ready)) return ended.abort();
    if (isScreen) next.within(FRESH_MS);
  });
  try {
    await followObjects(context, {
      scope,
      signal: AbortSignal.any([stop, unread, ended.signal]),
      onChange(all, refusals) {
        objects = all;
        if (how.check && refusals.length > 0) ended.abort();
        else if (!hidden && !isScreen)
          for (const refusal of refusals) terminal.tell(notShown(refusal));
        hidden = refusals;
        next.within(TOGETHER_MS);
      },
    });
  } finally {
    next.never();
  }
  if (unread.aborted) throw new Stopped('SIGPIPE', 'stopped: nobody reads the output any more');
  if (how.check && hidden?.[0]) throw hidden[0];
  if (stop.aborted && signalOf(stop) !== 'SIGINT') throw stoppedByUser(stop);
  if (how.check && !ended.signal.aborted) throw stoppedByUser(stop);
  return 0;
}

/** One run that is to come, as early as anybody has asked for. */
class Next {
  readonly #clock: Clock;
  readonly #run: () => void;
  #due: { readonly at: number; readonly cancel: Cancel } | undefined;

  constructor(clock: Clock, run: () => void) {
    this.#clock = clock;
    this.#run = run;
  }

  within(ms: number): void {
    const at = this.#clock.monotonic() + ms;
    if (this.#due && this.#due.at <= at) return;
    this.#due?.cancel();
    const cancel = this.#clock.at(ms, () => {
      this.#due = undefined;
      this.#run();
    });
    this.#due = { at, cancel };
  }

  never(): void {
    this.#due?.cancel();
  }
}

type Show = (rows: readonly Row[], hidden: readonly KubectlError[]) => void;

function onScreen({ terminal, clock }: Context, scope: Scope): Show {
  return (rows, hidden) => {
    const table =
      rows.length === 0 ? [noneIn(scope)] : screenOf(rows, { terminal, scope, now: clock.now() });
    const notes = hidden.map((refusal) => fitting(notShown(refusal), terminal.columns));
    const all = [...notes, ...table];
    // What needs a person is above, so it is the end that is left out.
    const lines = all.slice(0, Math.max(1, (terminal.rows ?? all.length + 1) - 1));
    terminal.screen(lines);
  };
}

/** A line for each row that is new, has changed or is gone. */
function inLines({ terminal, clock }: Context, scope: Scope, { json }: How): Show {
  let before: Map<string, { readonly row: Row; readonly text: string }> | undefined;
  const print = (item: object, cells: readonly string[]): void => {
    const time = timestamp(clock.now());
    if (json) terminal.document(JSON.stringify({ time, ...item }));
    else terminal.print([time, ...cells].join('  '));
  };
  return (rows) => {
    const options = { now: clock.now(), namespaces: scope.namespace === undefined };
    const now = new Map(
      rows.map((row) => [identityOf(row), { row, text: JSON.stringify(itemOf(row)) }]),
    );
    for (const [key, { row, text }] of now)
      if (before?.get(key)?.text !== text) print(itemOf(row), cellsOf(row, options));
    for (const [key, { row }] of before ?? []) if (!now.has(key)) print(...goneOf(row, options));
    if (!before && rows.length === 0) terminal.tell(noneIn(scope));
    before = now;
  };
}

function identityOf({ found }: Row): string {
  return `${found.definition.shortName} ${keyOf(found.object)}`;
}

function goneOf(
  { found }: Row,
  { namespaces }: { readonly namespaces: boolean },
): [item: object, cells: string[]] {
  const { namespace, name } = found.object.metadata;
  return [
    { kind: found.definition.type.kind, namespace, name, state: 'Gone' },
    [...(namespaces ? [namespace] : []), shortNameOf(found), 'Gone'],
  ];
}
