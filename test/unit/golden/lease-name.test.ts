import { expect, test } from 'vitest';
import { parseConfig } from '../../../src/config/config.ts';

/**
 * Two processes that work on the same objects keep out of each other's way by this name alone:
 * after an update that changes it, the old one and the new one would both work.
 */
const NAMES: readonly (readonly [string, readonly string[]])[] = [
  ['pipewright', []],
  ['pipewright-704ed201', ['--namespaces=ingest']],
  ['pipewright-642bf600', ['--namespaces=ingest,audit,data']],
  ['pipewright-642bf600', ['--namespaces= data, audit,ingest,audit']],
  ['pipewright-3780068e', ['--selector=team=data']],
  ['pipewright-1f830221', ['--selector= team  ==  data ,tier=gold']],
  ['pipewright-1f830221', ['--selector=tier=gold,team=data,tier==gold']],
  ['pipewright-ac424559', ['--selector=env in (prod,  stage , prod)']],
  ['pipewright-6e312003', ['--selector=env   notin ( test,dev )']],
  ['pipewright-ac64afdc', ['--selector=!legacy']],
  ['pipewright-978e8682', ['--selector=example.com/shard']],
  ['pipewright-1fb54512', ['--selector=team!=data']],
  ['pipewright-6164b829', ['--selector=team=']],
  ['pipewright-8fb8bdf8', ['--selector=env in (b,a),!legacy,team!=x,shard', '--namespaces=ingest']],
  ['pipewright-693e70c7', ['--selector=team=data', '--namespaces=data,ingest']],
];

test.each(NAMES)('the Lease is named %s with %j', (name, flags) => {
  const argv = ['--api-url=https://api.example.com', ...flags];
  const parsed = parseConfig({ argv, env: {}, version: 'test' });
  expect(parsed).toMatchObject({ ok: true, config: { leaderElectName: name } });
});

test('the environment gives the same name as the flags', () => {
  const env = {
    PIPEWRIGHT_API_URL: 'https://api.example.com',
    PIPEWRIGHT_SELECTOR: 'team=data',
    PIPEWRIGHT_NAMESPACES: 'ingest,data',
  };
  const parsed = parseConfig({ argv: [], env, version: 'test' });
  expect(parsed).toMatchObject({ ok: true, config: { leaderElectName: 'pipewright-693e70c7' } });
});
