import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../../controlplane/client.ts';
import { asAdmin } from '../../support/cluster.ts';
import { openStage, type Stage } from '../stage.ts';
import { createView } from './views.ts';
import { subjectOf } from './views-subjects.ts';

/** Long enough for a line to be read. */
const READ_MS = 300;

const view = createView();
let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ kube: view.handlers, flags: ['--api-timeout', '2s'] });
  await stage.start();
});
afterAll(() => stage.end());

describe('R5: a bookmark', () => {
  test.each([
    { came: true, name: 'marked' },
    { came: false, name: 'unmarked' },
  ])(
    'that came: $came; nothing that happens while the watch is cut is lost, and nothing is done twice',
    async (one) => {
      const subject = subjectOf(stage, 'PipeSettings', one.name);
      await subject.make(1);
      await subject.untilWish(1);
      const version = (await subject.get())?.metadata.resourceVersion;
      const isTold = (): boolean =>
        view.lines.some(({ object }) => object.metadata.resourceVersion === version);
      await waitFor(isTold, { what: 'the watch to have told of everything' });
      // Something else happens, so that the collection's version is not that of its last event.
      await stage.secret(`beside-${one.name}`, {});
      const list = `/apis/pipewright.dev/v1alpha1/namespaces/${stage.namespace}/pipesettings`;
      const { metadata } = await asAdmin<{ metadata: { resourceVersion: string } }>('GET', list);
      const former = [...stage.kube.watches].find(({ path }) => path.includes('/pipesettings?'));
      if (one.came)
        former?.send(
          JSON.stringify({ type: 'BOOKMARK', object: { kind: 'PipeSettings', metadata } }),
        );
      await pause(READ_MS);
      former?.sever();
      await subject.change(2);
      await subject.untilWish(2);
      expect(subject.calls()).toEqual([{ engine_max_threads: 1 }, { engine_max_threads: 2 }]);
    },
  );
});
