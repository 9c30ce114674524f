import { expect, test } from 'vitest';
import { operatorContainer } from '../../src/cli/cluster/operator-container.ts';

const API = { name: 'PIPEWRIGHT_API_URL' };

test.for([
  ['by a variable', [{ name: 'mesh' }, { name: 'main', env: [API] }], 'main'],
  ['by an argument', [{ name: 'mesh' }, { name: 'main', args: ['--api-url', 'x'] }], 'main'],
  ['by an argument with =', [{ name: 'mesh' }, { name: 'main', args: ['--api-url=x'] }], 'main'],
  ['before its name', [{ name: 'pipewright' }, { name: 'main', env: [API] }], 'main'],
  [
    'by its name, where nothing else tells',
    [{ name: 'mesh' }, { name: 'pipewright' }],
    'pipewright',
  ],
  ['not by another flag', [{ name: 'mesh', args: ['--api-url-of-mine=x'] }], undefined],
] as const)('the container of an operator is known %s', ([, containers, name]) => {
  expect(operatorContainer<{ name: string }>(containers)?.name).toBe(name);
});
