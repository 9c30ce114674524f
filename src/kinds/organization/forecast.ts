import type { KubeObject } from '../../kube/resource.ts';
import {
  atItsTime,
  type Forecast,
  factsFrom,
  knownReply,
  stopped,
  type World,
  waitsFor,
} from '../engine/forecast.ts';
import { timestamp } from '../status/canonical.ts';
import { conflictMessage } from '../target/conflict-report.ts';
import { Notebook } from './attempt/notebook.ts';
import { leftNotices } from './cleanup.ts';
import { goalOf } from './goal.ts';
import { type Facts, listedByOthers } from './load.ts';
import { type Plan, plan } from './plan.ts';
import { type Outlook, outlookOf } from './preview.ts';
import { contestedOf, report } from './report.ts';
import { FINALIZER, hasFinalizer, type Organization, parseSpec, targetOf } from './resource.ts';

/** What the operator does about an Organization as soon as it sees it. */
export function forecast(object: Organization, world: World): Forecast {
  const { facts, rivals } = seenFromOutside(object, world);
  const planned = plan(object, facts, world.now);
  switch (planned.do) {
    // Each of these writes to Kubernetes alone, and what follows is decided anew.
    case 'hold':
    case 'release':
    case 'disown':
      return forecast(afterwards(object, planned, world.now), world);
    case 'step': {
      const { spec, goal } = planned.work;
      const outlook = outlookOf(object, facts, { spec, goal, now: world.now });
      return { ...sending(object, outlook), waits: waitsFor(object, world, rivals) };
    }
    case 'preview': {
      const parsed = parseSpec(object);
      if (!parsed.ok) return stopped(parsed.message);
      const { spec } = parsed;
      const outlook = outlookOf(object, facts, { spec, goal: goalOf(spec), now: world.now });
      const { requests, changes, known } = sending(object, outlook);
      return stopped(planned.summary.message, { withheld: requests, changes, known });
    }
    case 'refuse-spec':
      return stopped(planned.message);
    case 'suspend':
      return stopped(planned.summary.message);
    case 'yield':
      return stopped(conflictMessage(planned.to, contestedOf(planned.spec)));
    case 'nothing':
    case 'reschedule':
      return atItsTime(object, planned.at, { world, forecast });
  }
}

/** What deleting it makes the operator do. */
export function forecastDeletion(object: Organization, world: World): Forecast {
  const parsed = parseSpec(object);
  if (
    !hasFinalizer(object) ||
    !parsed.ok ||
    parsed.spec.deletionPolicy !== 'RemovePrivateEndpoints'
  )
    return stopped(
      'Deleting it sends nothing; the name and all private endpoints stay (spec.deletionPolicy is Retain, or nothing of it is there)',
    );
  const { metadata } = object;
  const deleted: Organization = {
    ...object,
    metadata: {
      ...metadata,
      generation: (metadata.generation ?? 0) + 1,
      deletionTimestamp: timestamp(world.now),
    },
  };
  const { facts, rivals } = seenFromOutside(deleted, world);
  const planned = plan(deleted, facts, world.now);
  if (planned.do !== 'step') {
    const left = planned.do === 'release' ? leftNotices(planned).map(({ note }) => note) : [];
    return stopped(['Deleting it sends nothing', ...left].join('. '));
  }
  const { spec, goal } = planned.work;
  const outlook = outlookOf(deleted, facts, { spec, goal, now: world.now });
  return { ...sending(deleted, outlook), waits: waitsFor(object, world, rivals) };
}

function seenFromOutside(
  object: Organization,
  world: World,
): { readonly facts: Facts; readonly rivals: readonly Organization[] } {
  const { facts, rivals } = factsFrom(object, world, { targetOf, isValid });
  return {
    rivals,
    facts: {
      ...facts,
      listedByOthers: listedByOthers(object, rivals, facts.apiHash),
      notes: new Notebook(facts.standing.atWorkMs).of(object, 0),
      monotonic: 0,
      cleanupDeadlineMs: world.cleanupDeadlineMs,
    },
  };
}

const isValid = (object: Organization): boolean => parseSpec(object).ok;

function sending(object: KubeObject, outlook: Outlook): Forecast {
  const { path, bodies, changes, says, isOnlyLook, blocked, basis } = outlook;
  return {
    does: blocked.length > 0 ? 'stop' : 'send',
    says: says.charAt(0).toUpperCase() + says.slice(1),
    requests: bodies.map((body) => ({ method: 'PATCH', path, body })),
    changes,
    isOpen: isOnlyLook && blocked.length === 0,
    known: basis === 'Unknown' ? undefined : knownReply(object),
  };
}

function afterwards(
  object: Organization,
  planned: Extract<Plan, { do: 'hold' | 'release' | 'disown' }>,
  now: number,
): Organization {
  if (planned.do === 'disown') {
    const { status } = report(object, planned, now);
    return { ...object, ...(status !== undefined && { status }) };
  }
  const others = (object.metadata.finalizers ?? []).filter((one) => one !== FINALIZER);
  const finalizers = planned.do === 'hold' ? [...others, FINALIZER] : others;
  return { ...object, metadata: { ...object.metadata, finalizers } };
}
