import { names } from '../../kinds/organization/endpoints/wording.ts';
import { MOST_REMOVALS } from '../../kinds/organization/goal.ts';
import { table } from '../words.ts';
import { type Declared, valueText } from './declared.ts';
import type { Facts } from './facts.ts';
import { stamp } from './wording.ts';

type Line = readonly [label: string, value: string];

export function declaredLines(facts: Facts, now: number): string[] {
  const { declared, generation, createdAt, kind } = facts;
  const lines: Line[] = [
    ['Generation', `${generation}, created ${stamp(createdAt, now)}`],
    ...given('Organization', declared.organizationId),
    ...given('Service', declared.serviceId),
    ...given('Pipe', declared.pipeId),
    ...given('Record', declared.activityId),
    ...given('API key', declared.secret, (name) => `in the Secret ${name}`),
    ...settingLines(declared),
    ...(kind === 'Organization' ? organizationLines(declared) : []),
    ...given('Mode', declared.mode === 'Plan' ? 'Plan: nothing is sent' : undefined),
    ...given('Suspended', declared.suspend === true ? 'yes: no call is made' : undefined),
    ...given('Sent again', declared.reassertInterval, (interval) => `every ${interval}`),
  ];
  return table(lines);
}

function given(
  label: string,
  value: unknown,
  inWords: (text: string) => string = (text) => text,
): Line[] {
  return value === undefined ? [] : [[label, inWords(valueText(value))]];
}

function settingLines({ settings = {} }: Declared): Line[] {
  return Object.entries(settings).map(([name, value], at) => [
    at === 0 ? 'Settings' : '',
    `${name}: ${valueText(value)}`,
  ]);
}

function organizationLines(declared: Declared): Line[] {
  const { name, privateEndpoints, adoptPrivateEndpoints, deletionPolicy } = declared;
  const most = valueText(declared.maxPrivateEndpointRemovals ?? MOST_REMOVALS);
  return [
    ['Name', name === undefined ? 'not managed' : valueText(name)],
    ['Private endpoints', listed(privateEndpoints)],
    ...given(
      'Adoption',
      adoptPrivateEndpoints === true
        ? 'listed endpoints that existed before become those of this object'
        : undefined,
    ),
    ...given('Removals', privateEndpoints && `at most ${most} in one change`),
    [
      'On deletion',
      deletionPolicy === 'RemovePrivateEndpoints'
        ? 'the endpoints of this object are removed first'
        : 'the endpoints stay',
    ],
  ];
}

function listed(endpoints: Declared['privateEndpoints']): string {
  if (!endpoints) return 'not managed: nothing is added or removed';
  return endpoints.length === 0 ? 'none: those of this object are removed' : names(endpoints);
}
