import type { ActivityBehaviour } from './activities.ts';
import {
  ORGANIZATION_CHOICES,
  type OrganizationBehaviour,
  type OrganizationChange,
} from './organization-types.ts';
import type { SettingsBehaviour } from './pipe-settings.ts';
import { ECHOES } from './settings-echo.ts';
import { SETTINGS } from './settings-rules.ts';
import {
  ANSWERERS,
  type Behaviour,
  BODY_KINDS,
  type CallBehaviour,
  type Fault,
  type KeyOptions,
  type Match,
  RATE_HEADERS,
  type Rate,
  TRANSPORTS,
  type Turns,
} from './types.ts';

type Check = (value: unknown, name: string) => void;
export type Body = Record<string, unknown>;

/** What to change; throws with the field and what it may be. `rate: null` lifts the limit. */
export function behaviourFrom(body: Body): Behaviour {
  fields<keyof Behaviour>({
    ...OPERATIONS,
    latencyMs: number,
    rate: (value, name) => {
      if (value !== null)
        fields<keyof Rate>({ calls: number, perMs: number, header: oneOf(RATE_HEADERS) })(
          value,
          name,
        );
    },
  })(body, 'body');
  return body.rate === null ? { ...body, rate: undefined } : body;
}

/** A fault; throws with what it may be. */
export function faultFrom(value: unknown): Fault {
  object(value, 'fault');
  const kinds = ['status', 'transport', 'slowMs', 'hold', 'play'];
  const kind = kinds.find((field) => Object.hasOwn(value as object, field));
  const play = fields(OPERATIONS);
  const timing = { applied: boolean, appliesAfterMs: number, by: oneOf(ANSWERERS), play };
  if (kind === 'status') {
    fields({
      status: number,
      body: oneOf(BODY_KINDS),
      error: string,
      headers: eachString,
      ...timing,
    })(value, 'fault');
  } else if (kind === 'transport')
    fields({ transport: oneOf(TRANSPORTS), ...timing })(value, 'fault');
  else if (kind === 'slowMs') fields({ slowMs: number, play })(value, 'fault');
  else if (kind === 'hold') fields({ hold: oneOf([true]), play })(value, 'fault');
  else if (kind === 'play') fields({ play })(value, 'fault');
  else throw new Error(`fault has none of ${kinds.join(', ')}`);
  return value as Fault;
}

/** Which calls; throws with what it may be. */
export function matchFrom(value: unknown): Match {
  fields<keyof Match>({
    method: string,
    pathIncludes: string,
    bodyIncludes: string,
    keyId: string,
  })(value ?? {}, 'match');
  return value ?? {};
}

/** For how many calls, and which. */
export function turnsFrom(body: Body): Turns {
  if (body.times !== undefined) number(body.times, 'times');
  return { times: (body.times ?? 1) as number, match: matchFrom(body.match) };
}

/** A string that must be there. */
export function textFrom(body: Body, name: string): string {
  string(body[name], name);
  return body[name] as string;
}

/** A number that must be there. */
export function numberFrom(body: Body, name: string): number {
  number(body[name], name);
  return body[name] as number;
}

/** An object that must be there. */
export function objectFrom(body: Body, name: string): Body {
  object(body[name], name);
  return body[name] as Body;
}

/** What someone else does to an organization. */
export function organizationChangeFrom(body: Body): OrganizationChange {
  fields<keyof OrganizationChange>({
    name: string,
    add: objects,
    remove: strings,
    byocConfig: objects,
  })(body, 'body');
  return body;
}

/** For how long a stored activity stays unseen. */
export function latenessFrom(body: Body): { lateCalls?: number; lateMs?: number } {
  fields({ lateCalls: number, lateMs: number })(body, 'body');
  return body;
}

/** What a key may do. */
export function keyOptionsFrom(body: Body): KeyOptions {
  fields<keyof KeyOptions>({
    disabled: boolean,
    readOnly: boolean,
    organizations: strings,
    newForMs: number,
    newStatus: oneOf([401, 404]),
  })(body, 'body');
  return body;
}

/**
 * The settings someone else puts on a pipe: known keys, any value, for a server may hold what its
 * document rules out.
 */
export function settingsFrom(body: Body): Body {
  fields(Object.fromEntries(Object.keys(SETTINGS).map((key) => [key, () => {}])))(
    body.settings,
    'settings',
  );
  return body.settings as Body;
}

/** An object with none but these fields. Named by their type, none of them can be forgotten. */
function fields<Name extends string>(known: Readonly<Record<Name, Check>>): Check {
  const checks: Readonly<Record<string, Check>> = known;
  return (value, name) => {
    object(value, name);
    for (const [field, content] of Object.entries(value as Body)) {
      const check = Object.hasOwn(checks, field) ? checks[field] : undefined;
      if (!check)
        throw new Error(
          `${name}.${field} is not known; there are ${Object.keys(known).join(', ')}`,
        );
      check(content, `${name}.${field}`);
    }
  };
}

function oneOf(choices: readonly unknown[]): Check {
  return (value, name) => {
    if (!choices.includes(value)) fail(value, name, `one of ${choices.join(', ')}`);
  };
}

function eachKey(check: Check): Check {
  return (value, name) => {
    object(value, name);
    for (const [key, content] of Object.entries(value as Body)) check(content, `${name}.${key}`);
  };
}

const eachString = eachKey(string);

const choices = Object.fromEntries(
  Object.entries(ORGANIZATION_CHOICES).map(([name, each]) => [name, oneOf(each)]),
) as Record<keyof typeof ORGANIZATION_CHOICES, Check>;

const OPERATIONS: Readonly<Record<keyof CallBehaviour, Check>> = {
  settings: fields<keyof SettingsBehaviour>({
    writes: oneOf(['merge', 'replace']),
    echo: oneOf(ECHOES),
    ranges: eachKey(pair),
    clamp: eachKey(pair),
    gained: strings,
    notApplicable: strings,
    noSettings: strings,
  }),
  organization: fields<keyof OrganizationBehaviour>({
    ...choices,
    refusedIds: strings,
    refuseRemoves: strings,
    refusedStatus: number,
    refusedStatuses: eachKey(number),
    maxEndpoints: number,
    quotas: eachKey(number),
    mostItems: number,
    longestName: number,
    staleForMs: number,
    listMissingCalls: number,
    omit: strings,
    replace: object,
  }),
  activity: fields<keyof ActivityBehaviour>({
    omit: strings,
    replace: object,
    minIdLength: number,
    missingStatus: number,
    anyActivity: boolean,
  }),
};

function pair(value: unknown, name: string): void {
  const right =
    Array.isArray(value) && value.length === 2 && value.every((end) => typeof end === 'number');
  if (!right) fail(value, name, 'a pair of numbers');
}

function strings(value: unknown, name: string): void {
  const right = Array.isArray(value) && value.every((entry) => typeof entry === 'string');
  if (!right) fail(value, name, 'a list of strings');
}

function objects(value: unknown, name: string): void {
  if (!Array.isArray(value)) fail(value, name, 'a list of objects');
  for (const entry of value as unknown[]) object(entry, `${name}[]`);
}

function object(value: unknown, name: string): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    fail(value, name, 'an object');
}

function string(value: unknown, name: string): void {
  if (typeof value !== 'string') fail(value, name, 'a string');
}

function number(value: unknown, name: string): void {
  if (typeof value !== 'number' || value < 0) fail(value, name, 'a number of 0 or more');
}

function boolean(value: unknown, name: string): void {
  if (typeof value !== 'boolean') fail(value, name, 'true or false');
}

function fail(value: unknown, name: string, wanted: string): never {
  throw new Error(
    `${name} is ${value === undefined ? 'missing' : JSON.stringify(value)}; it must be ${wanted}`,
  );
}
