import type { Shell } from '../shell.ts';
import type { AnyStatus } from '../standing.ts';
import { ago, until } from '../words.ts';
import type { Facts } from './facts.ts';

/** `2026-03-01T12:00:00Z (6d ago)`. */
export function stamp(time: string, now: number): string {
  return `${time} (${Date.parse(time) > now ? until(time, now) : ago(time, now)})`;
}

/** With a capital letter and a stop. */
export function sentence(text: string): string {
  return ended(text.slice(0, 1).toUpperCase() + text.slice(1));
}

/** With a stop. */
export function ended(text: string): string {
  const trimmed = text.trim();
  return /[.!?…]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

/** `, request 00c1`, or nothing where the reply had none. */
export function byRequest(requestId: string | undefined): string {
  return requestId === undefined ? '' : `, request ${requestId}`;
}

type Change = NonNullable<NonNullable<AnyStatus['plan']>['changes']>[number];

/** `name: "Acme" → "Acme Data"`. */
export function changeText({ field, from, to }: Change): string {
  if (to === undefined) return `${field}: removed, was ${JSON.stringify(from)}`;
  if (from === undefined) return `${field}: set to ${JSON.stringify(to)}`;
  return `${field}: ${JSON.stringify(from)} → ${JSON.stringify(to)}`;
}

/** A command of this plugin about the object. */
export function commandFor(
  { shortName, name, namespace }: Pick<Facts, 'shortName' | 'name' | 'namespace'>,
  command: string,
  shell: Shell,
): string {
  return shell.plugin(command, `${shortName}/${name}`, '-n', namespace);
}
