import type { BodyKind, CallBehaviour } from '../../simulator/types.ts';
import type { Draw } from '../engine/draw.ts';
import type { Fate } from '../network/wire.ts';

/** An answer in place of the ordinary one, or on top of the work. */
export interface ApiFault {
  readonly status: number;
  readonly applied?: boolean;
  readonly body?: BodyKind;
  readonly headers?: { [name: string]: string };
}

/** A behaviour for one call, and what it shows of the call. */
export interface Glitch {
  readonly behaviour: CallBehaviour;
  readonly text: string;
  /** The caller's key stands in the reply. */
  readonly showsKey?: boolean;
}

interface Mishap {
  readonly fate: Fate;
  readonly text: string;
}

const SECOND = 1_000;

/** What can befall a call to the management API on its way. */
export function drawApiFate(draw: Draw, plain: Fate, timeoutMs: number): Mishap {
  const late = timeoutMs + draw.between(1, 60) * SECOND;
  switch (
    draw.weighted({
      lostReply: 3,
      lostRequest: 2,
      after: 3,
      before: 2,
      slow: 3,
      late: 3,
      stray: 2,
      again: 2,
      cut: 1,
    })
  ) {
    case 'lostReply':
      return {
        fate: { ...plain, lost: 'reply' },
        text: 'the work is done, and the answer is lost',
      };
    case 'lostRequest':
      return { fate: { ...plain, lost: 'request' }, text: 'it is lost on its way' };
    case 'after':
      return {
        fate: { ...plain, reset: 'after' },
        text: 'the work is done, and the connection is reset',
      };
    case 'before':
      return {
        fate: { ...plain, reset: 'before' },
        text: 'the connection is reset before it arrives',
      };
    case 'slow': {
      const seconds = draw.between(1, 30);
      const where = draw.chance(0.5) ? { thereMs: seconds * SECOND } : { backMs: seconds * SECOND };
      return { fate: { ...plain, ...where }, text: `it takes ${seconds} s` };
    }
    case 'late':
      return {
        fate: { ...plain, lost: 'request', strayMs: late },
        text: `nobody answers, and it is carried out after ${late / SECOND} s`,
      };
    case 'stray': {
      const seconds = draw.between(1, 60);
      const fate: Fate = { ...plain, reset: 'before', strayMs: seconds * SECOND };
      return {
        fate,
        text: `the connection is reset, and it is carried out after ${seconds} s all the same`,
      };
    }
    case 'again': {
      const againMs = draw.between(1, 40) * SECOND;
      return {
        fate: { ...plain, againMs },
        text: `it is carried out a second time, ${againMs / SECOND} s later`,
      };
    }
    case 'cut':
      return { fate: { ...plain, truncated: true }, text: 'the answer breaks off' };
  }
}

/** What can befall a request to the API server. */
export function drawKubeFate(draw: Draw, plain: Fate): Mishap {
  switch (draw.weighted({ lostReply: 2, lostRequest: 1, after: 3, before: 2, slow: 4 })) {
    case 'lostReply':
      return {
        fate: { ...plain, lost: 'reply' },
        text: 'the work is done, and the answer is lost',
      };
    case 'lostRequest':
      return { fate: { ...plain, lost: 'request' }, text: 'it is lost on its way' };
    case 'after':
      return {
        fate: { ...plain, reset: 'after' },
        text: 'the work is done, and the connection is reset',
      };
    case 'before':
      return {
        fate: { ...plain, reset: 'before' },
        text: 'the connection is reset before it arrives',
      };
    case 'slow': {
      const ms = draw.pick([300, 3 * SECOND, 9 * SECOND, 19 * SECOND]);
      const where = draw.chance(0.5) ? { thereMs: ms } : { backMs: ms };
      return { fate: { ...plain, ...where }, text: `it takes ${ms / SECOND} s` };
    }
  }
}

const STATUSES = [
  400, 401, 403, 404, 408, 409, 410, 422, 423, 424, 425, 429, 500, 502, 503, 504, 200, 302,
];
const BODIES = [
  'envelope',
  'no-request-id',
  'text',
  'html',
  'empty',
  'truncated',
  'null',
  'wrong-type',
] as const;
const HOLLOW = [
  'no-result',
  'error-with-200',
  'result-and-error',
  'empty',
  'html',
  'truncated',
  'wrong-type',
] as const;

/** An answer that says something else than what happened, or that nothing happened. */
export function drawApiFault(draw: Draw, statuses: readonly number[] = STATUSES): ApiFault {
  const status = draw.pick(statuses);
  if (status === 200) return { status, body: draw.pick(HOLLOW), applied: true };
  const isUnknown = status >= 500 || status === 408 || status < 400;
  const waits = status === 429 || status === 503;
  return {
    status,
    applied: isUnknown && draw.chance(0.5),
    ...(draw.chance(0.3) && { body: draw.pick(BODIES) }),
    ...(waits && draw.chance(0.7) && { headers: { 'retry-after': String(draw.between(1, 120)) } }),
  };
}

const PLACE = { cloudProvider: 'gcp', region: 'ap-northeast-1' };
const WITHOUT_IDS = [PLACE, PLACE];
const MANY_TWINS = Array.from({ length: 2_000 }, () => ({ id: 'theirs-1', ...PLACE }));

/** A reply that shows less, or older, than what is there. */
export function drawGlitch(draw: Draw, target: string): Glitch {
  if (draw.chance(0.15))
    return { behaviour: {}, text: 'the reply shows the key of the caller', showsKey: true };
  if (target.startsWith('pipe ')) {
    const echo = draw.pick(['none', 'stale', 'only-set'] as const);
    return { behaviour: { settings: { echo } }, text: `the reply shows its settings as "${echo}"` };
  }
  const list = draw.pick(['empty', 'absent', 'null', 'empty'] as const);
  if (draw.chance(0.3))
    return {
      behaviour: { organization: { echo: 'stale' } },
      text: 'the reply shows what was before',
    };
  if (draw.chance(0.15)) {
    const privateEndpoints = draw.pick([WITHOUT_IDS, MANY_TWINS]);
    const text = `the list in the reply has ${privateEndpoints.length} other entries`;
    return { behaviour: { organization: { replace: { privateEndpoints } } }, text };
  }
  return { behaviour: { organization: { list } }, text: `the list in the reply is ${list}` };
}
