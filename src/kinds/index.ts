import type { Kind } from '../controller/kind.ts';
import { activity } from './activity/index.ts';
import { organization } from './organization/index.ts';
import { pipeSettings } from './pipe-settings/index.ts';
import type { KindContext } from './shared/context.ts';

/** Every kind there is. A new one is a folder beside this file and its entry here. */
const KINDS = [pipeSettings, activity, organization];

export function createKinds(context: KindContext): readonly Kind[] {
  return KINDS.map((create) => create(context));
}
