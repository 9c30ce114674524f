import type { BodyKind } from '../../simulator/types.ts';
import type { Draw } from '../engine/draw.ts';
import { SHOWS_KEY } from '../life/management-side.ts';
import type { Mishap, Point } from '../life/world.ts';

const SECOND = 1_000;
const STATUSES = [400, 401, 403, 404, 408, 409, 422, 423, 424, 425, 429, 500, 502, 503, 504, 302];
const BODIES: readonly BodyKind[] = ['no-request-id', 'text', 'html', 'empty', 'truncated', 'null'];
/** A success that shows nothing. */
const HOLLOW: readonly BodyKind[] = ['no-result', 'empty', 'html', 'truncated', 'megabytes'];

/** What befalls a call on its way, or what it is answered in place of what was done. */
export function drawCallMishap(draw: Draw, timeoutSeconds: number): Mishap {
  const seconds = draw.between(1, 60);
  switch (
    draw.weighted({
      lost: 4,
      unheard: 4,
      late: 4,
      stray: 3,
      reset: 2,
      slow: 4,
      cut: 1,
      answer: 14,
      key: 3,
    })
  ) {
    case 'unheard':
      return draw.chance(0.5)
        ? { text: 'the work is done, and the answer is lost', fate: { lost: 'reply' } }
        : { text: 'the work is done, and the connection is reset', fate: { reset: 'after' } };
    case 'lost':
      return { text: 'it is lost on its way', fate: { lost: 'request' } };
    case 'reset':
      return { text: 'the connection is reset before it arrives', fate: { reset: 'before' } };
    case 'late':
      return {
        text: `nobody answers, and it is carried out ${seconds} s after it was given up`,
        fate: { lost: 'request', strayMs: (timeoutSeconds + seconds) * SECOND },
      };
    case 'stray':
      return {
        text: `the connection is reset, and it is carried out after ${seconds} s`,
        fate: { reset: 'before', strayMs: seconds * SECOND },
      };
    case 'slow':
      return draw.chance(0.5)
        ? { text: `it arrives after ${seconds} s`, fate: { thereMs: seconds * SECOND } }
        : { text: `its answer takes ${seconds} s`, fate: { backMs: seconds * SECOND } };
    case 'cut':
      return { text: 'the answer breaks off', fate: { truncated: true } };
    case 'key':
      return { text: SHOWS_KEY };
    case 'answer':
      return drawAnswer(draw);
  }
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
  switch (draw.weighted({ unheard: 4, lost: 3, refused: 4, slow: 3, late: 2 })) {
    case 'unheard':
      return { text: 'the work is done, and the connection is reset', fate: { reset: 'after' } };
    case 'lost':
      return draw.chance(0.5)
        ? { text: 'the connection is reset before it arrives', fate: { reset: 'before' } }
        : { text: 'it is lost on its way', fate: { lost: 'request' } };
    case 'late':
      return {
        text: 'it is lost, and carried out 20 s later',
        fate: { lost: 'request', strayMs: 20 * SECOND },
      };
    case 'refused': {
      const refusal = draw.pick([409, 429, 500]);
      return { text: `the API server answers ${refusal}`, refusal };
    }
    case 'slow': {
      const ms = draw.pick([300, 3 * SECOND, 9 * SECOND]);
      return { text: `it takes ${ms} ms`, fate: { thereMs: ms } };
    }
  }
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
