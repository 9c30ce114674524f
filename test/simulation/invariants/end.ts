import type { Thing } from '../kubernetes/objects.ts';
import { type Plural, readyOf, specOf, statusOf, targetOfSpec } from '../record/objects.ts';
import type { Court } from './court.ts';
import type { LedgerJudge } from './ledger.ts';
import type { Notes } from './notes.ts';
import { OrganizationsAtRest } from './organizations-at-rest.ts';
import { PipesAtRest } from './pipes-at-rest.ts';
import type { ProofJudge } from './proofs.ts';
import type { RepeatJudge } from './repeats.ts';
import { Rightful, TELLS_ALL } from './rightful.ts';
import type { Trails } from './trail.ts';
import { IN_LINE_MS } from './waits.ts';

const DELETED_MS = 15 * 60_000;
const GIVEN_TWICE = 'a version that had been given before a restore';
/**
 * Whose key was refused for others has no time of its own: one of them tries it half as late again
 * as the longest wait, give or take a fifth.
 */
const GATED_MS = 1.2 * 1.5 * 30 * 60_000;

/**
 * I4: when adversary and spec have come to rest, the API comes to the declared state, or the
 * condition names what keeps it from there.
 */
export class EndJudge {
  readonly #court: Court;
  readonly #rightful: Rightful;
  readonly #organizations: OrganizationsAtRest;
  readonly #pipes: PipesAtRest;

  constructor(
    court: Court,
    trails: Trails,
    seen: {
      readonly notes: Notes;
      readonly ledger: LedgerJudge;
      readonly repeats: RepeatJudge;
      readonly proofs: ProofJudge;
    },
  ) {
    this.#court = court;
    this.#rightful = new Rightful(court, trails, seen);
    this.#organizations = new OrganizationsAtRest(court, trails, {
      ...seen,
      rightful: this.#rightful,
    });
    this.#pipes = new PipesAtRest(court);
  }

  /**
   * When those that are not as they should be will be tried again by their own account: times on
   * the timeline.
   */
  openUntil(): number[] {
    const { life, underWay } = this.#court;
    const times = life.objects().flatMap(({ plural, thing }) => {
      const isRightful = this.#rightful.reasons(plural, thing).has(readyOf(thing)?.reason ?? '');
      if (isRightful && !this.#isOwed(plural, thing)) return [];
      const { nextAttemptTime, privateEndpoints = [] } = statusOf(thing);
      const noted = [nextAttemptTime, ...privateEndpoints.map((entry) => entry.nextAttemptTime)];
      if (readyOf(thing)?.reason === 'Unauthorized' && nextAttemptTime === undefined)
        return [life.world.restAt + GATED_MS];
      const told = noted.flatMap((time) =>
        time === undefined ? [] : [Date.parse(time) - life.wall + this.#clockMs()],
      );
      // What has no time of its own may be in the midst of an attempt.
      const isInMidst = nextAttemptTime === undefined && this.#wasCalledFor(plural, thing);
      return isInMidst ? [...told, life.timeline.now + 1] : told;
    });
    // What a call under way will be answered is not told yet.
    return underWay.size > 0 ? [...times, life.timeline.now + 1] : times;
  }

  /**
   * Whether a call was made for it so lately that the next one of the same attempt may stand in
   * line for its slot.
   */
  #wasCalledFor(plural: Plural, thing: Thing): boolean {
    const { uid } = thing.metadata;
    const calls = this.#court.carriedOut(targetOfSpec(plural, specOf(thing)));
    const last = calls.findLast((call) =>
      this.#court.candidates(call).some(({ known }) => known.last.metadata.uid === uid),
    );
    return last !== undefined && this.#court.life.timeline.now - last.leftAt < IN_LINE_MS;
  }

  /**
   * Whether something was refused that the API would take by now: it has a time of its own,
   * whatever else is refused rightly.
   */
  #isOwed(plural: Plural, thing: Thing): boolean {
    const { reason = '' } = readyOf(thing) ?? {};
    if (plural !== 'organizations' || !TELLS_ALL.has(reason)) return false;
    return (
      !this.#rightful.cannotLook(thing) && this.#organizations.untaken(thing, reason).length > 0
    );
  }

  /** Where clocks have jumped, ten o'clock may be at eleven. */
  #clockMs(): number {
    const { clocksOffMs } = this.#court.life.fleet;
    return clocksOffMs === 0 ? 0 : clocksOffMs + 5 * 60_000;
  }

  end(): void {
    for (const { plural, thing } of this.#court.life.objects()) this.#judge(plural, thing);
    this.#judgeTargets();
  }

  #judge(plural: Plural, thing: Thing): void {
    const { namespace, name, generation, deletionTimestamp } = thing.metadata;
    const key = `${plural}/${namespace}/${name}`;
    const ready = readyOf(thing);
    if (deletionTimestamp !== undefined) {
      const since = this.#court.life.kube.now() - Date.parse(deletionTimestamp);
      const isHeld = since > DELETED_MS + this.#clockMs();
      // What was gone, and was brought back, too.
      if (isHeld && this.#court.isMissed(plural, thing)) this.#court.excuse(GIVEN_TWICE);
      else if (isHeld)
        this.#court.report(
          'I5 held-for-ever',
          key,
          `${key} is being deleted for ${Math.round(since / 60_000)} min: ${ready?.message}`,
        );
      return;
    }
    const reason = ready?.reason ?? 'none';
    const allowed = this.#rightful.reasons(plural, thing);
    const isUnseen = statusOf(thing).observedGeneration !== generation;
    const isMissed =
      this.#court.isMissed(plural, thing) ||
      this.#court.isSecretMissed(thing, reason) ||
      (reason === 'TargetConflict' && this.#isRivalHeld(plural, thing));
    if ((isUnseen || !allowed.has(reason)) && isMissed) {
      this.#court.excuse(GIVEN_TWICE);
      return;
    }
    if (isUnseen) {
      this.#court.report(
        'I4 unseen',
        key,
        `the status of ${key} speaks of generation ${statusOf(thing).observedGeneration}, not of ${generation}`,
      );
      return;
    }
    if (!allowed.has(reason)) {
      const why =
        reason === 'NotConfirmed' &&
        plural === 'organizations' &&
        this.#organizations.whyUnconfirmed(thing);
      if (why) {
        this.#court.excuse(why);
        return;
      }
      this.#court.report(
        this.#ruleFor(plural, thing, reason),
        key,
        `${key} ends as ${reason}, and should be ${[...allowed].join(' or ')}: ${ready?.message}`,
      );
      return;
    }
    if (plural === 'pipesettings') this.#pipes.judge(key, thing);
    if (plural === 'organizations') this.#organizations.judge(key, thing, reason);
  }

  /** Whether a rival is gone, and a process that sees both cannot have heard of it. */
  #isRivalHeld(plural: Plural, thing: Thing): boolean {
    const { fleet, kubernetesSide } = this.#court.life;
    const target = targetOfSpec(plural, specOf(thing));
    const seeing = fleet.processes.filter(({ name }) =>
      fleet.isSeenBy(name, thing.metadata.namespace),
    );
    const held = seeing.flatMap(({ name }) => kubernetesSide.heldBy(name, plural));
    return held.some((rival) => targetOfSpec(plural, specOf(rival)) === target);
  }

  /** What an object ends as that it should not end as, by what stands behind it most likely. */
  #ruleFor(plural: Plural, thing: Thing, reason: string): string {
    if (plural === 'activities' && statusOf(thing).activity !== undefined)
      return 'activity lost-ready';
    if (reason === 'TargetConflict') return 'held blocked';
    return plural === 'organizations'
      ? this.#organizations.oddly(thing, `I4 ${reason}`)
      : `I4 ${reason}`;
  }

  /** Of several objects for one target at most one is Ready. */
  #judgeTargets(): void {
    const ready = new Map<
      string,
      { readonly plural: Plural; readonly key: string; readonly thing: Thing }[]
    >();
    for (const { plural, thing } of this.#court.life.objects()) {
      if (plural === 'activities' || readyOf(thing)?.reason !== 'Applied') continue;
      const target = targetOfSpec(plural, specOf(thing));
      const { namespace, name } = thing.metadata;
      ready.set(target, [
        ...(ready.get(target) ?? []),
        { plural, key: `${plural}/${namespace}/${name}`, thing },
      ]);
    }
    for (const [target, both] of ready) {
      const [one, other] = both;
      if (!one || !other) continue;
      if (
        !this.#court.life.fleet.sees(one.thing.metadata.namespace, other.thing.metadata.namespace)
      )
        continue;
      if ([one, other].some(({ plural, thing }) => this.#court.isMissed(plural, thing))) {
        this.#court.excuse(GIVEN_TWICE);
        continue;
      }
      this.#court.report(
        'held two-ready',
        target,
        `${one.key} and ${other.key} both say Applied for ${target}`,
      );
    }
  }
}
