import { refOf, type Shown } from './objects.ts';
import { outcomeOf } from './panel.ts';
import { clockTime, fit, seconds } from './text.ts';
import type { World } from './world.ts';

/** How a step of the story ended. */
export interface Ended {
  readonly title: string;
  readonly outcome: 'ok' | 'FAILED' | 'not tried';
  readonly ms: number;
}

export function summaryLines(steps: readonly Ended[]): string[] {
  const lines = steps.map(
    ({ title, outcome, ms }, index) =>
      `  ${fit(outcome, 9)}  ${fit(String(index + 1), 2)}  ${outcome === 'not tried' ? title : `${fit(title, 34)} ${seconds(ms)}`}`,
  );
  const good = steps.filter(({ outcome }) => outcome === 'ok').length;
  const took = seconds(steps.reduce((sum, { ms }) => sum + ms, 0));
  return ['', ...lines, '', `${good} of ${steps.length} steps ok, in ${took}`];
}

/** All that is needed to see why a step failed. */
export function failureLines(error: unknown, world: World, object: Shown | undefined): string[] {
  const calls = world.simulator.log.slice(-10);
  return [
    '',
    `Why: ${error instanceof Error ? error.message : String(error)}`,
    '',
    object ? `The status of ${refOf(object)}:` : 'There is no object to show.',
    ...(object ? JSON.stringify(object.status, null, 2).split('\n') : []),
    '',
    calls.length === 0 ? 'The API has received no call.' : 'The last calls that the API received:',
    ...calls.map(
      (call) =>
        `  ${clockTime(call.receivedAt)} ${outcomeOf(call)} with ${call.keyId ?? 'no key'}: ${call.method} ${call.path} ${call.text}`,
    ),
    '',
    `The end of the operator's log (all of it: ${world.logFile}):`,
    ...world.operator.lastLines(15).map((line) => `  ${line}`),
  ];
}
