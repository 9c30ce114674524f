import { expect, test } from 'vitest';
import { definitions } from '../../src/kinds/definitions.ts';
import type { Forecast, PlannedRequest, World } from '../../src/kinds/engine/forecast.ts';
import { forecasters } from '../../src/kinds/forecasts.ts';
import { LOOK_BODY } from '../../src/kinds/organization/remote.ts';
import { COURTESY_MS } from '../../src/waits.ts';
import { Draw } from '../simulation/engine/draw.ts';
import {
  activitySpec,
  type Endpoint,
  endpointPool,
  organizationSpec,
  pipeSpec,
  type Spec,
} from '../simulation/life/specs.ts';
import type { Once } from '../simulation/management/api.ts';
import { ForecastStage, type Sent } from '../support/forecast-stage.ts';
import { BASE_URL } from '../support/objects.ts';

const ORGANIZATION = '0b1d7c52-91a4-4f0e-8a3b-6f1e2d3c4b5a';
const PIPE = `${ORGANIZATION}/service/pipe`;
const POOL = endpointPool(false);
const KINDS = ['PipeSettings', 'Organization', 'Activity'] as const;
type KindName = (typeof KINDS)[number];

/** Objects for one target; `elsewhere` stands for another one. */
const NAMES = ['one', 'other', 'elsewhere'] as const;

function someSpec(kind: KindName, draw: Draw, name: string): Spec {
  const isElsewhere = name === 'elsewhere';
  const organizationId = isElsewhere ? ORGANIZATION.replace('0b', '1b') : ORGANIZATION;
  switch (kind) {
    case 'PipeSettings':
      return pipeSpec(draw, { organizationId, pipeId: 'pipe', secret: 'api' });
    case 'Organization':
      return organizationSpec(draw, { organizationId, secret: 'api', pool: POOL, name: 'Acme' });
    case 'Activity':
      return activitySpec({ organizationId, activityId: 'record', secret: 'api' });
  }
}

/** As people edit: one endpoint more or less, and the rest as it was. */
function edited(spec: Spec, draw: Draw): Spec {
  const { privateEndpoints: listed } = spec as { readonly privateEndpoints?: readonly Endpoint[] };
  if (!listed) return { ...spec, reassertInterval: `${draw.between(10, 99)}m` };
  const [more] = draw.some(POOL, 1);
  const isListed = listed.some(({ id }) => id === more?.id);
  const privateEndpoints =
    more && !isListed ? [...listed, more] : listed.filter(({ id }) => id !== more?.id);
  return { ...spec, privateEndpoints };
}

/** What another client, the network or the API does. */
function oddity(draw: Draw): Once | 'lost' {
  const status = draw.pick([400, 401, 404, 409, 422, 429, 500, 503]);
  return draw.chance(0.25) ? 'lost' : { answer: { status, by: 'operation' } };
}

function otherClient({ api }: ForecastStage, draw: Draw): void {
  const there = api.organizations.of(ORGANIZATION)?.privateEndpoints ?? [];
  api.organizations.set(ORGANIZATION, {
    ...(draw.chance(0.5)
      ? { add: draw.some(POOL, 1).map((endpoint) => ({ description: '', ...endpoint })) }
      : { remove: draw.some(there, Math.min(1, there.length)).map(({ id }) => id) }),
    ...(draw.chance(0.2) && { name: `Else ${draw.between(1, 9)}` }),
  });
  api.settings.set(PIPE, { engine_max_threads: draw.between(0, 64) });
}

interface Case {
  readonly stage: ForecastStage;
  readonly isDeleted: boolean;
  /** It was sent at the time that the forecast names, and not before. */
  readonly isLater: boolean;
  readonly forecast: Forecast;
  readonly sent: readonly Sent[];
  /** The API held what the last reply had shown. */
  readonly isAsShown: boolean;
  /** Ids of private endpoints that it has come to own without adding them. */
  readonly adopted: readonly string[];
}

/** A history, then one more manifest: what was forecast of it, and what was sent. */
async function caseOf(kind: KindName, seed: number): Promise<Case> {
  const draw = new Draw(`forecast ${kind} ${seed}`);
  const definition = definitions.find(({ type }) => type.kind === kind);
  const forecaster = forecasters[kind];
  if (!definition || !forecaster) throw new Error(`there is no kind ${kind}`);
  const isApart = draw.of('namespaces').chance(0.3);
  const stage = new ForecastStage(definition, (one) =>
    isApart && one === 'other' ? 'theirs' : 'ours',
  );
  stage.api.activities.set(ORGANIZATION, { id: 'record', type: 'x', organizationId: ORGANIZATION });
  otherClient(stage, draw.of('before'));
  const refusedIds = draw.chance(0.6) ? draw.some(POOL, 2).map(({ id }) => id) : [];
  stage.api.organizations.play({ refusedIds });
  for (let turn = draw.between(0, 6); turn > 0; turn -= 1) await happen(stage, kind, draw);
  stage.api.organizations.play({ refusedIds: [] });
  const there = NAMES.filter((one) => stage.get(one));
  const name = there.length > 0 && draw.chance(0.8) ? draw.pick(there) : draw.pick(NAMES);
  const before = stage.get(name)?.spec as Spec | undefined;
  const isSame = draw.chance(0.3);
  const change = draw.chance(0.5) ? edited(before ?? {}, draw) : someSpec(kind, draw, name);
  const manifest = before ? (isSame ? before : change) : someSpec(kind, draw, name);
  if (draw.chance(0.5)) stage.restart();
  await stage.settle();
  if (draw.chance(0.2)) otherClient(stage, draw);
  const world: World = {
    baseUrl: BASE_URL,
    planOnly: false,
    apiTimeoutMs: 35_000,
    cleanupDeadlineMs: 600_000,
    now: stage.clock.now(),
    others: stage.objects(),
    all: stage.objects(),
  };
  const isAsShown = holdsWhatWasShown(stage, name);
  const adoptedBefore = adoptedBy(stage, name);
  stage.sent = [];
  const live = stage.get(name);
  const isDeleted = draw.chance(0.2) && live !== undefined;
  const forecast = isDeleted
    ? forecaster.forecastDeletion(live, world)
    : forecaster.forecast(stage.applied(name, manifest), world);
  if (isDeleted) stage.delete(name);
  else stage.apply(name, manifest);
  await stage.settle();
  // Before its time nothing may leave.
  const isLater = forecast.requests.length > 0 && forecast.at !== undefined;
  const isSent = (): boolean => stage.sent.some((one) => one.name === name);
  // How long it has seen both already is known to the process alone.
  if (isApart && forecast.requests.length > 0 && !isLater && !isSent())
    await stage.pass(COURTESY_MS);
  if (isLater && !isSent()) await stage.pass((forecast.at ?? 0) - stage.clock.now());
  // The process knows better than the status until when an earlier request may be at work.
  if (isLater && !isSent()) await stage.pass(120_000);
  return {
    stage,
    isLater,
    isDeleted,
    forecast,
    sent: stage.sent.filter((one) => one.name === name),
    isAsShown,
    adopted: adoptedBy(stage, name).filter((id) => !adoptedBefore.includes(id)),
  };
}

function adoptedBy(stage: ForecastStage, name: string): readonly string[] {
  const { privateEndpoints = [] } = (stage.get(name)?.status ?? {}) as {
    readonly privateEndpoints?: readonly { readonly id: string; readonly origin?: string }[];
  };
  return privateEndpoints.filter(({ origin }) => origin === 'Adopted').map(({ id }) => id);
}

async function happen(stage: ForecastStage, kind: KindName, draw: Draw): Promise<void> {
  const name = draw.pick(NAMES);
  const act = draw.weighted({ apply: 60, other: 15, restart: 10, pass: 15 });
  if (act === 'apply') {
    if (draw.chance(0.4))
      stage.next = draw.chance(0.5) ? [oddity(draw)] : [undefined, oddity(draw)];
    stage.apply(name, someSpec(kind, draw, name));
  }
  if (act === 'other') otherClient(stage, draw);
  if (act === 'restart') stage.restart();
  await stage.settle();
  stage.next = [];
  if (act === 'pass') await stage.pass(draw.pick([1_000, 20_000, 70_000, 200_000, 3_600_000]));
}

/** Name and list, by the reply that the status keeps. */
function holdsWhatWasShown(stage: ForecastStage, name: string): boolean {
  const { organization } = (stage.get(name)?.status ?? {}) as {
    readonly organization?: {
      readonly name?: string;
      readonly privateEndpoints?: readonly unknown[];
    };
  };
  const spec = stage.get(name)?.spec as { readonly organizationId?: string } | undefined;
  const held = stage.api.organizations.of(spec?.organizationId ?? '');
  if (!organization || !held) return false;
  const shown = [organization.name, organization.privateEndpoints];
  const actual = [held.name, held.privateEndpoints];
  return JSON.stringify(shown.map(sorted)) === JSON.stringify(actual.map(sorted));
}

/** Without descriptions, which a status keeps cut. */
function sorted(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value
    .map(({ id, cloudProvider, region }) => JSON.stringify([id, cloudProvider, region]))
    .sort();
}

/** What must have been sent, as the forecast has it, of what was. */
function expectedOf({ stage, forecast, sent, isAsShown }: Case, kind: KindName): unknown[] {
  const came = sent.map(spoken);
  if (forecast.waits !== undefined && came.length === 0) return [];
  const [look, ...then] = forecast.requests;
  // Only the process knows that its looks are refused and that the name serves as one.
  const isByName = stage.hasLookRefused && /^\{"name":"[^"]*"\}$/.test(came[0]?.body ?? '');
  if (isByName && look?.body === LOOK_BODY) return came;
  // Such a look sends the name, so none is made while too much would be removed.
  if (stage.hasLookRefused && forecast.does === 'stop' && came.length === 0) return [];
  const isWhole = kind !== 'Organization' || (!forecast.isOpen && isAsShown);
  return [...(look ? [look] : []), ...(isWhole ? then : came.slice(1))];
}

const spoken = ({ method, path, body }: Sent): PlannedRequest => ({
  method,
  path,
  ...(body !== undefined && { body }),
});

const CASES = 1_200;
/** So often at least, in so many cases: what no case comes to is not shown. */
const LEAST: Readonly<Record<KindName, Readonly<Record<string, number>>>> = {
  PipeSettings: { send: 250, nothing: 15, stop: 80, whole: 250, waited: 2, later: 3 },
  Organization: {
    send: 250,
    nothing: 15,
    stop: 80,
    whole: 60,
    open: 100,
    several: 60,
    waited: 3,
    removed: 5,
    adopts: 1,
  },
  Activity: { send: 200, nothing: 100, whole: 200, waited: 2 },
};

test.each(KINDS)('what is forecast of %s is what is sent', async (kind) => {
  const seen: Record<string, number> = {};
  const count = (what: string, is = true): void => {
    if (is) seen[what] = (seen[what] ?? 0) + 1;
  };
  for (let seed = 1; seed <= CASES; seed += 1) {
    const one = await caseOf(kind, seed);
    const { isDeleted, forecast, sent, isAsShown } = one;
    const isOrganization = kind === 'Organization';
    count(forecast.does);
    count('open', forecast.isOpen);
    count('several', sent.length > 2);
    count('later', one.isLater && sent.length > 0);
    count('waited', forecast.waits !== undefined && sent.length === 0);
    count('removed', isDeleted && sent.length > 1);
    count('whole', sent.length > 0 && !forecast.isOpen && (!isOrganization || isAsShown));
    const isLook = sent.length > 0 && isAsShown && !isDeleted && !forecast.isOpen;
    const owner = /the owner of (.+?): it removes/.exec(forecast.says)?.[1]?.split(', ') ?? [];
    expect(isLook ? owner : [], `seed ${seed}`).toEqual(isLook ? one.adopted : []);
    count('adopts', isLook && one.adopted.length > 0);
    expect(sent.map(spoken), `seed ${seed}: ${forecast.says}`).toEqual(expectedOf(one, kind));
  }
  for (const [what, least] of Object.entries(LEAST[kind]))
    expect(seen[what] ?? 0, what).toBeGreaterThanOrEqual(least);
});
