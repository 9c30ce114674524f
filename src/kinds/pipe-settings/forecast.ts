import {
  atItsTime,
  type Forecast,
  factsFrom,
  knownReply,
  stopped,
  type World,
  waitsFor,
} from '../engine/forecast.ts';
import { conflictMessage } from '../target/conflict-report.ts';
import { isSuperseded } from '../target/target.ts';
import { type Plan, plan, reportedBy } from './plan.ts';
import { previewOf } from './preview.ts';
import { type PipeSettings, parseSpec, targetOf } from './resource.ts';

/** What the operator does about a PipeSettings object as soon as it sees it. */
export function forecast(object: PipeSettings, world: World): Forecast {
  const { facts, rivals } = factsFrom(object, world, { targetOf, isValid });
  const planned = plan(object, { ...facts, atWork: [] }, world.now);
  switch (planned.do) {
    case 'call':
      return {
        ...sending(object, planned, { facts, now: world.now }),
        waits: waitsFor(object, world, rivals),
      };
    case 'preview': {
      const { changes, requests } = planned.plan as Shown;
      const known = knownReply(object);
      return stopped(planned.summary.message, { withheld: requests, changes, known });
    }
    case 'refuse-spec':
      return stopped(planned.message);
    case 'suspend':
      return stopped(planned.summary.message);
    case 'yield':
      return stopped(conflictMessage(planned.to, planned.contested));
    case 'nothing':
    case 'reschedule':
      return atItsTime(object, planned.at, { world, forecast });
    case 'keep':
      throw new Error('a PipeSettings has nothing to keep');
  }
}

/** `status.plan`, as `previewOf` makes it. */
type Shown = Pick<Forecast, 'changes' | 'requests'>;

const isValid = (object: PipeSettings): boolean => parseSpec(object).ok;

function sending(
  object: PipeSettings,
  { spec, request, apiHash }: Extract<Plan, { do: 'call' }>,
  { facts, now }: { readonly facts: ReturnType<typeof factsFrom>['facts']; readonly now: number },
): Forecast {
  const reported = reportedBy(object.status, apiHash);
  const isLast = !isSuperseded(facts.standing, now);
  const { plan: shown } = previewOf(object, { spec, request, reported, isLast, planOnly: false });
  const { method, path, body, keys } = request;
  return {
    does: 'send',
    says: `One PUT with ${keys.length} ${keys.length === 1 ? 'setting' : 'settings'}`,
    requests: [{ method, path, body }],
    changes: (shown as Shown).changes,
    isOpen: false,
    known: reported && knownReply(object),
  };
}

/** Deleting one makes no call. */
export function forecastDeletion(): Forecast {
  return stopped('Deleting it sends nothing; the pipe keeps its settings');
}
