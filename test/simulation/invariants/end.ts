import type { Thing } from '../kubernetes/objects.ts';
import { type EndpointView, readyOf, specOf, statusOf, targetOfSpec } from '../record/objects.ts';
import type { Court } from './court.ts';
import { type Plural, Rightful } from './rightful.ts';
import { type Trails, truthKey } from './trail.ts';

const PLURALS: readonly Plural[] = ['pipesettings', 'organizations', 'activities'];
const DELETED_MS = 15 * 60_000;

/** I4: when adversary and spec have come to rest, the API comes to the declared state, or the condition names what keeps it from there. */
export class EndJudge {
  readonly #court: Court;
  readonly #trails: Trails;
  readonly #rightful: Rightful;

  constructor(court: Court, trails: Trails) {
    this.#court = court;
    this.#trails = trails;
    this.#rightful = new Rightful(court, trails);
  }

  /** When those that are not as they should be will be tried again by their own account: times on the timeline. */
  openUntil(): number[] {
    const { life } = this.#court;
    return this.#all().flatMap(({ plural, thing }) => {
      if (this.#rightful.reasons(plural, thing).has(readyOf(thing)?.reason ?? '')) return [];
      const { nextAttemptTime, privateEndpoints = [] } = statusOf(thing);
      const times = [nextAttemptTime, ...privateEndpoints.map((entry) => entry.nextAttemptTime)];
      // Where clocks have jumped, ten o'clock may be at eleven.
      const late = life.uses('clocks') ? 65 * 60_000 : 0;
      return times.flatMap((time) => (time === undefined ? [] : [Date.parse(time) - life.wall + late]));
    });
  }

  end(): void {
    for (const { plural, thing } of this.#all()) this.#judge(plural, thing);
    this.#judgeTargets();
  }

  #all(): { readonly plural: Plural; readonly thing: Thing }[] {
    return PLURALS.flatMap((plural) => this.#court.life.objectsOf(plural).map((thing) => ({ plural, thing })));
  }

  #judge(plural: Plural, thing: Thing): void {
    const { namespace, name, generation, deletionTimestamp } = thing.metadata;
    const key = `${plural}/${namespace}/${name}`;
    const ready = readyOf(thing);
    if (deletionTimestamp !== undefined) {
      const since = this.#court.life.kube.now() - Date.parse(deletionTimestamp);
      if (since > DELETED_MS)
        this.#report(
          'I5 held-for-ever',
          key,
          `${key} is being deleted for ${Math.round(since / 60_000)} min: ${ready?.message}`,
        );
      return;
    }
    const reason = ready?.reason ?? 'none';
    const allowed = this.#rightful.reasons(plural, thing);
    if (statusOf(thing).observedGeneration !== generation) {
      this.#report(
        'I4 unseen',
        key,
        `the status of ${key} speaks of generation ${statusOf(thing).observedGeneration}, not of ${generation}`,
      );
      return;
    }
    if (!allowed.has(reason)) {
      const isHeld = plural === 'activities' && statusOf(thing).activity !== undefined;
      const rule = isHeld ? 'activity lost-ready' : reason === 'TargetConflict' ? 'held blocked' : `I4 ${reason}`;
      this.#report(
        rule,
        key,
        `${key} ends as ${reason}, and should be ${[...allowed].join(' or ')}: ${ready?.message}`,
      );
      return;
    }
    if (reason === 'Applied' && plural === 'pipesettings') this.#judgePipe(key, thing);
    if (plural === 'organizations') this.#judgeOrganization(key, thing, reason);
  }

  #judgePipe(key: string, thing: Thing): void {
    const { settings = {}, organizationId, serviceId, pipeId } = specOf(thing);
    const held = this.#court.life.api.settings.of(`${organizationId}/${serviceId}/${pipeId}`) ?? {};
    const other = Object.entries(settings).find(([name, value]) => held[name] !== value);
    if (!other || this.#isWrittenElsewhere('pipesettings', thing)) return;
    const [name, value] = other;
    this.#report(
      this.#isOverwritten(thing) ? 'I4 overwritten' : 'I4 not-there',
      key,
      `${key} says Applied with ${name} ${String(value)}, and the API has ${String(held[name])}`,
    );
  }

  /** Whether another object's call was the last to be carried out. */
  #isOverwritten(thing: Thing): boolean {
    const last = this.#court.lastWritten.get(
      `${this.#court.life.apiHost} ${targetOfSpec('pipesettings', specOf(thing))}`,
    );
    if (!last) return false;
    return !this.#court.candidates(last).some(({ known }) => known.last.metadata.uid === thing.metadata.uid);
  }

  /** Across processes nothing is seen: another shard may have written the same pipe. */
  #isWrittenElsewhere(plural: Plural, thing: Thing): boolean {
    const target = targetOfSpec(plural, specOf(thing));
    return this.#court.life
      .objectsOf(plural)
      .some(
        (other) =>
          targetOfSpec(plural, specOf(other)) === target &&
          !this.#court.life.fleet.sees(other.metadata.namespace, thing.metadata.namespace),
      );
  }

  #judgeOrganization(key: string, thing: Thing, reason: string): void {
    const spec = specOf(thing);
    if (!['Applied', 'Rejected', 'Conflict'].includes(reason) || this.#isWrittenElsewhere('organizations', thing))
      return;
    const target = targetOfSpec('organizations', spec);
    const present = this.#trails.present(this.#court.life.apiHost, target);
    const missing = (spec.privateEndpoints ?? []).filter(
      (one) => !present.some((instance) => instance.key === truthKey(one)),
    );
    const kept = missing.filter(
      (endpoint) => this.#rightful.takes(thing, endpoint) && !this.#wentSince(target, endpoint),
    );
    const rule = reason === 'Applied' ? 'I4 not-there' : 'I4 kept-out';
    if (kept.length > 0 && this.#rightful.canAdd(thing)) {
      this.#report(
        rule,
        key,
        `${key} says ${reason}, and ${names(kept)} that the API would take ${kept.length === 1 ? 'is' : 'are'} not there`,
      );
    }
    this.#judgeHint(key, thing);
    if (reason !== 'Applied') return;
    const actual = this.#court.life.api.organizations.of(spec.organizationId ?? '')?.name;
    if (spec.name !== undefined && this.#lastNamed(target) !== spec.name && !this.#rightful.changesNames(thing)) {
      this.#report(
        'I4 not-there',
        key,
        `${key} says Applied with the name "${spec.name}", and the API has "${actual}"`,
      );
    }
    const uid = thing.metadata.uid;
    const left = present.filter(({ key: endpoint, creator }) => {
      if (creator.by !== 'operator' || spec.privateEndpoints === undefined) return false;
      if (spec.privateEndpoints.some((one) => truthKey(one) === endpoint)) return false;
      const makers = this.#court.candidates(creator.call);
      return makers.length === 1 && makers[0]?.known.last.metadata.uid === uid;
    });
    if (left.length > 0)
      this.#report(
        'I4 not-removed',
        key,
        `${key} says Applied, and ${names(left.map(({ stored }) => stored))} that it had added and lists no more is still there`,
      );
  }

  /** Whether somebody else took it away after the last look: nobody can have told the operator. */
  #wentSince(target: string, endpoint: EndpointView): boolean {
    const { instances, looks } = this.#trails.of(this.#court.life.apiHost, target);
    const seenAt = looks.at(-1)?.call.executions.at(-1)?.at ?? 0;
    return instances.some(({ key, gone }) => key === truthKey(endpoint) && gone && !gone.call && gone.at >= seenAt);
  }

  /** The name that the operator was the last to give, in the order in which the API carried its calls out. */
  #lastNamed(target: string): string | undefined {
    return this.#court.lastNamed.get(`${this.#court.life.apiHost} ${target}`);
  }

  /** Where the list cannot be read for want of a declared name, the condition says so. */
  #judgeHint(key: string, thing: Thing): void {
    if (!this.#rightful.needsName(thing) || readyOf(thing)?.status === 'True') return;
    const message = readyOf(thing)?.message ?? '';
    if (!/spec\.name|declare a name/i.test(message)) {
      this.#report(
        'said no-hint',
        key,
        `no look works for ${key} because it declares no name, and its condition does not say so: ${message}`,
      );
    }
  }

  /** Of several objects for one target at most one is Ready. */
  #judgeTargets(): void {
    const ready = new Map<string, { readonly key: string; readonly thing: Thing }[]>();
    for (const { plural, thing } of this.#all()) {
      if (plural === 'activities' || readyOf(thing)?.reason !== 'Applied') continue;
      const target = targetOfSpec(plural, specOf(thing));
      const { namespace, name } = thing.metadata;
      ready.set(target, [...(ready.get(target) ?? []), { key: `${plural}/${namespace}/${name}`, thing }]);
    }
    for (const [target, both] of ready) {
      const [one, other] = both;
      if (!one || !other) continue;
      if (!this.#court.life.fleet.sees(one.thing.metadata.namespace, other.thing.metadata.namespace)) continue;
      this.#report('held two-ready', target, `${one.key} and ${other.key} both say Applied for ${target}`);
    }
  }

  /** After a restore nothing that an object comes to is to be wondered at: it is one fault, whatever it looks like. */
  #report(rule: string, subject: string, text: string): void {
    const { wentBack, restores } = this.#court.life;
    const after = wentBack ? 'I4 after-versions-went-back' : 'I4 after-restore';
    this.#court.report(restores.length > 0 ? after : rule, subject, text);
  }
}

function names(endpoints: readonly EndpointView[]): string {
  return endpoints.map(({ id }) => id).join(', ');
}
