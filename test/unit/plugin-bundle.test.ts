import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bundle } from '../../src/cli/bundle/bundle.ts';
import { Stopped } from '../../src/cli/user-error.ts';
import { fakeKubectl } from '../support/doctor.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';
import { temporaryFolder } from '../support/folder.ts';

test('Ctrl-C after the last answer ends it as it ends every command, and nothing is written', async () => {
  const folder = await temporaryFolder();
  const stop = new AbortController();
  const version = { gitVersion: 'v1', platform: 'any' };
  const kubectl = fakeKubectl((args) => {
    if (args[0] === 'version') stop.abort();
    const isCrd = args.join(' ').includes('/customresourcedefinitions/');
    return isCrd
      ? 'Error: NotFound'
      : JSON.stringify({ items: [], metadata: {}, clientVersion: version, ...version });
  });
  const context = {
    kubectl,
    terminal: fakeTerminal({ print: () => undefined }),
    clock: new FakeClock(),
    version: 'test',
    env: {},
    stop: stop.signal,
  };
  const ended = bundle(context, [], { file: join(folder, 'one.tgz'), namespace: 'ingest' });
  const error: unknown = await ended.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Stopped);
  expect(error).toMatchObject({ exitCode: 130 });
  expect(await readdir(folder)).toEqual([]);
});
