import { describe, expect, test } from 'vitest';
import { applyYaml, audit, kubectl, newNamespace, serviceAccountKubeconfig, waitFor } from '../controlplane/client.ts';

describe('RBAC', () => {
  test('forbids a user without rights', async () => {
    const namespace = await newNamespace();
    const nobody = await serviceAccountKubeconfig(namespace, 'nobody');
    const { code, stderr } = await kubectl(['get', 'configmaps', '-n', namespace], undefined, nobody);
    expect(code).toBe(1);
    expect(stderr).toContain(`User "system:serviceaccount:${namespace}:nobody" cannot list resource "configmaps"`);
  });
});
