import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { definitions } from '../../src/kinds/definitions.ts';

/**
 * The script is written once; `npm test -- test/unit/gitops-health.test.ts -u` copies it to where
 * Argo CD wants it.
 */
const FOLDER = join(import.meta.dirname, '../../deploy/argocd');
const script = readFileSync(join(FOLDER, 'health.lua'), 'utf8');
const kinds = definitions.map(({ type }) => type.kind);

const HEAD = `# For the ConfigMap argocd-cm of Argo CD: kubectl -n argocd patch configmap argocd-cm --type merge --patch-file deploy/argocd/argocd-cm.yaml
# A key for each kind, all with the text of health.lua: one key for the whole group would be \`resource.customizations\`,
# which a patch would take from everybody else who has something in it.
data:
`;

describe('the health script', () => {
  test('is in the patch of argocd-cm once for each kind', async () => {
    const indented = script.replaceAll(/^(?=.)/gm, '    ');
    const keys = kinds.map(
      (kind) => `  resource.customizations.health.pipewright.dev_${kind}: |\n${indented}`,
    );
    await expect(HEAD + keys.join('')).toMatchFileSnapshot(join(FOLDER, 'argocd-cm.yaml'));
  });

  test.each(kinds)('is in the layout of the repository of Argo CD, for %s', async (kind) => {
    const file = join(FOLDER, 'resource_customizations/pipewright.dev', kind, 'health.lua');
    await expect(script).toMatchFileSnapshot(file);
  });
});
