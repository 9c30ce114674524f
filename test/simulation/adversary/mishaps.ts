import type { BodyKind } from '../../simulator/types.ts';
import type { Draw } from '../engine/draw.ts';
import { SHOWS_KEY } from '../life/management-side.ts';
import type { Mishap, Point } from '../life/world.ts';
import type { Fate } from '../network/wire.ts';

const SECOND = 1_000;
const STATUSES = [400, 401, 403, 404, 408, 409, 422, 423, 424, 425, 429, 500, 502, 503, 504, 302];
const BODIES: readonly BodyKind[] = ['text', 'html', 'empty', 'truncated'];
/** A success that shows nothing. */
const HOLLOW: readonly BodyKind[] = ['no-result', 'empty', 'html', 'truncated'];

/** What befalls a call on its way, or what it is answered in place of what was done. */
export function drawCallMishap(draw: Draw, timeoutSeconds: number): Mishap {
  const seconds = draw.between(1, 60);
  const [ms, late] = [seconds * SECOND, (timeoutSeconds + seconds) * SECOND];
  if (draw.chance(0.35)) return drawAnswer(draw);
  if (draw.chance(0.1)) return { text: SHOWS_KEY };
  return draw.pick([
    way('it is lost on its way', { lost: 'request' }),
    way('it never arrives, and the connection is reset', { reset: 'before' }),
    way('the work is done, and the answer is lost', { lost: 'reply' }),
    way('the work is done, and the connection is reset', { reset: 'after' }),
    way(`it is carried out ${seconds} s after it was given up`, { lost: 'request', strayMs: late }),
    way(`it is reset, and carried out after ${seconds} s`, { reset: 'before', strayMs: ms }),
    way(`it arrives after ${seconds} s`, { thereMs: ms }),
    way(`its answer takes ${seconds} s`, { backMs: ms }),
    way('the answer breaks off', { truncated: true }),
  ]);
}

function way(text: string, fate: Partial<Fate>): Mishap {
  return { text, fate };
}

export function drawAnswer(
  draw: Draw,
): Mishap & { readonly answer: NonNullable<Mishap['answer']> } {
  if (draw.chance(0.1)) {
    const body = draw.pick(HOLLOW);
    return { text: `answered 200 with ${body}`, answer: { status: 200, body, applied: true } };
  }
  const status = draw.pick(STATUSES);
  const isUnknown = status >= 500 || status === 408 || status < 400;
  const applied = isUnknown && draw.chance(0.5);
  const waits = (status === 429 || status === 503) && draw.chance(0.7);
  return {
    text: `answered ${status}${applied ? ', although the work is done' : ''}`,
    answer: {
      status,
      applied,
      ...(draw.chance(0.3) && { body: draw.pick(BODIES) }),
      ...(waits && { headers: { 'retry-after': String(draw.between(1, 90)) } }),
    },
  };
}

/** What befalls a write to the API server, or a read of a Secret. */
export function drawKubeMishap(draw: Draw): Mishap {
  const ms = draw.pick([300, 3 * SECOND, 9 * SECOND]);
  const refusal = draw.pick([409, 429, 500]);
  if (draw.chance(0.25)) return { text: `the API server answers ${refusal}`, refusal };
  return draw.pick([
    way('it is lost on its way', { lost: 'request' }),
    way('it never arrives, and the connection is reset', { reset: 'before' }),
    way('the work is done, and the connection is reset', { reset: 'after' }),
    way('it is lost, and carried out 20 s later', { lost: 'request', strayMs: 20 * SECOND }),
    way(`it takes ${ms} ms`, { thereMs: ms }),
  ]);
}

/** Whoever acts in the midst of a request: the process that sent it ends. */
export function drawEnd(draw: Draw, { process }: Point): Mishap {
  const when = draw.pick(['leaves', 'done'] as const);
  if (draw.chance(0.7))
    return {
      text: `the process dies when it ${when === 'leaves' ? when : 'is done'}`,
      ...(when === 'leaves' && { fate: { lost: 'request' } as const }),
      acts: { when, run: (life) => life.processes.byName(process)?.crash() },
    };
  return {
    text: 'the process is told to end',
    acts: { when, run: (life) => life.processes.byName(process)?.terminate() },
  };
}
