import type { Stage } from './stage.ts';
import type { Step } from './story.ts';
import { NAMESPACE } from './world.ts';

/** For the very end. */
export const glance: readonly Step[] = [{ title: 'All at a glance', play: all }];

async function all(stage: Stage): Promise<void> {
  await stage.tell('How does everything stand now? What needs a person would come first:');
  const status = await stage.plugin(['status', '-n', NAMESPACE, '--check']);
  stage.check(
    'The exit code is 0: all are ready. That cost no call',
    status.code === 0 && stage.newCalls().length === 0,
    status,
  );
}
