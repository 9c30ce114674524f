import type { KubeObject } from '../kube/resource.ts';
import { definition as activity } from './activity/definition.ts';
import { preview as previewActivity } from './activity/preview.ts';
import { definition as organization } from './organization/definition.ts';
import { preview as previewOrganization } from './organization/preview.ts';
import { definition as pipeSettings } from './pipe-settings/definition.ts';
import { preview as previewPipeSettings } from './pipe-settings/preview.ts';
import type { Definition } from './schema/definition.ts';
import type { Preview } from './shared/preview.ts';

/** Every kind there is, for CRDs, documents and the plugin. */
const KINDS: readonly (readonly [Definition, (object: KubeObject, now: number) => Preview])[] = [
  [pipeSettings, previewPipeSettings],
  [organization, previewOrganization],
  [activity, previewActivity],
];

export const definitions = KINDS.map(([definition]) => definition);

export const previews = new Map(KINDS.map(([{ type }, preview]) => [type.kind, preview]));
