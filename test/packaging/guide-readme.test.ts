import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitFor } from '../controlplane/client.ts';
import { pageBlocks } from '../support/page.ts';
import { missingFrom } from '../support/shown-output.ts';
import { type GuideWorld, openGuideWorld } from './guide-world.ts';
import { BUILD_MS } from './helm.ts';

const KEY = { id: 'YOUR-KEY-ID', secret: 'YOUR-KEY-SECRET' };
/** What a reader of the README cannot do, by the beginning of the command that follows it. */
const BEFORE: Readonly<Record<string, () => Promise<unknown>>> = {
  'kubectl create namespace ingest': () => world.node.sync(),
  'kubectl apply -f orders.yaml': async () =>
    world.simulator.setKey(KEY.id, KEY.secret, { disabled: true }),
  'kubectl pipewright explain': () =>
    waitFor(() => world.succeed('kubectl get pset/orders -n ingest'), {
      what: 'the operator to hear that the key is disabled',
      until: (line) => line.includes('Unauthorized'),
    }),
};
/** The simulated API has no https, which the chart refuses unless it is meant. */
const here = (script: string): string =>
  script.replace('--set api.url=', '--set api.allowHttp=true --set api.url=');
/** A plan ends with 2 where something would be sent. */
const CODES: Readonly<Record<string, number>> = { 'kubectl pipewright plan': 2 };

let world: GuideWorld;
beforeAll(async () => {
  world = await openGuideWorld({
    programs: ['helm'],
    simulator: { keys: { [KEY.id]: KEY.secret } },
  });
}, BUILD_MS);
afterAll(() => world.end());

const blocks = pageBlocks('README.md').filter(({ notRun }) => notRun === undefined);

test.each(blocks)('README.md:$line $script', async ({ script, shown = '' }) => {
  const of = <T>(table: Readonly<Record<string, T>>): T | undefined =>
    Object.entries(table).find(([begin]) => script.startsWith(begin))?.[1];
  await of(BEFORE)?.();
  const { code, stdout, stderr } = await world.shell(here(script));
  expect(code, `${stdout}\n${stderr}`).toBe(of(CODES) ?? 0);
  expect(missingFrom(stdout, shown), `${stdout}\n${stderr}`).toBeUndefined();
});

test('what was run is all that the README promises: an installed operator, an applied object', () => {
  for (const begin of [...Object.keys(BEFORE), ...Object.keys(CODES), 'helm install'])
    expect(blocks.some(({ script }) => script.startsWith(begin))).toBe(true);
  const [first, ...rest] = world.simulator.calls();
  expect(first).toMatchObject({ method: 'PUT', status: 200, keyId: KEY.id });
  expect(rest.map(({ status }) => status)).toEqual([401]);
});
