import { describe, expect, test } from 'vitest';
import { normaliseBaseUrl } from '../../../src/api/http/base-url.ts';
import { parseConfig } from '../../../src/config/config.ts';
import { goalOf } from '../../../src/kinds/organization/goal.ts';
import * as remote from '../../../src/kinds/organization/remote.ts';
import { settingsRequest } from '../../../src/kinds/pipe-settings/remote.ts';
import { apiHashOf } from '../../../src/kinds/target/proof.ts';
import ofOrganizations from './organization-requests.json' with { type: 'json' };
import ofPipeSettings from './pipe-settings-requests.json' with { type: 'json' };

/**
 * `status.applied.requestHash` says what the API has confirmed. A hash that changes by accident
 * makes the operator send every declared state again. The files were worked out by another program
 * from what the hash is of: method, address, path and canonical body, each on a line.
 */

/** The address as the operator uses it where a user writes it so. */
function baseUrlOf(written: string): string {
  const parsed = parseConfig({ argv: ['--api-url', written], env: {}, version: 'test' });
  if (!parsed.ok) throw new Error(parsed.message);
  return normaliseBaseUrl(parsed.config.apiUrl);
}

const credentialsSecretRef = { name: 'key' };

describe('PipeSettings', () => {
  test.each(ofPipeSettings)('$baseUrl $ids $settings', (golden) => {
    const [organizationId = '', serviceId = '', pipeId = ''] = golden.ids;
    const spec = { organizationId, serviceId, pipeId, credentialsSecretRef };
    const { settings } = golden;
    const request = settingsRequest(baseUrlOf(golden.baseUrl), { ...spec, settings });
    const { method, path, body, hash } = request;
    expect({ method, path, body, hash }).toEqual({
      method: 'PUT',
      path: golden.path,
      body: golden.body,
      hash: golden.hash,
    });
  });

  test('what else a spec says does not count', () => {
    const [first] = ofPipeSettings;
    const [organizationId = '', serviceId = '', pipeId = ''] = first?.ids ?? [];
    const ids = { organizationId, serviceId, pipeId };
    const more = { suspend: true, mode: 'Plan', reassertInterval: '1h' } as const;
    const settings = first?.settings ?? {};
    const spec = { ...ids, credentialsSecretRef: { name: 'another' }, settings, ...more };
    expect(settingsRequest('https://api.example.com', spec).hash).toBe(first?.hash);
  });
});

describe('Organization', () => {
  test.each(ofOrganizations)('$baseUrl $organizationId $spec', (golden) => {
    const { organizationId, spec } = golden;
    // What the file holds is JSON, where a word is any text.
    const goal = goalOf({ organizationId, credentialsSecretRef, ...(spec as object) });
    const { path, hash } = remote.addressOf(baseUrlOf(golden.baseUrl), organizationId, goal);
    expect({ path, hash }).toEqual({ path: golden.path, hash: golden.hash });
  });

  test('the order of the endpoints does not count', () => {
    const endpoints = ['psc-1', 'psc-2'].map((id) => ({ id, cloudProvider: 'gcp', region: 'r1' }));
    const hashOf = (goal: Parameters<typeof remote.addressOf>[2]): string =>
      remote.addressOf('https://api.example.com', 'acme', goal).hash;
    expect(hashOf({ endpoints: endpoints.toReversed() })).toBe(hashOf({ endpoints }));
    expect(hashOf({ endpoints: endpoints.slice(1) })).not.toBe(hashOf({ endpoints }));
  });

  test('the bodies', () => {
    const one = { id: 'psc-1', cloudProvider: 'gcp', region: 'r1' };
    const two = { id: 'psc-2', cloudProvider: 'aws', region: 'eu' };
    const endpoints = [{ ...one, description: 'first "one"' }, two];
    const text = '"first \\"one\\""';
    const oneText = `{"cloudProvider":"gcp","description":${text},"id":"psc-1","region":"r1"}`;
    const twoText = '{"cloudProvider":"aws","id":"psc-2","region":"eu"}';
    expect(remote.LOOK_BODY).toBe('{"privateEndpoints":{"add":[],"remove":[]}}');
    expect(remote.nameBody('Acme "ü"')).toBe('{"name":"Acme \\"ü\\""}');
    expect(remote.changeBody({ add: [one, two], remove: [] }, { endpoints })).toBe(
      `{"privateEndpoints":{"add":[${oneText},${twoText}]}}`,
    );
    expect(remote.changeBody({ add: [two], remove: [one] }, { endpoints: [] })).toBe(
      '{"privateEndpoints":{"add":[{"cloudProvider":"aws","id":"psc-2","region":"eu"}],' +
        '"remove":[{"cloudProvider":"gcp","id":"psc-1","region":"r1"}]}}',
    );
    expect(remote.declaredKeys({ name: 'Acme', endpoints })).toEqual(['name', 'privateEndpoints']);
  });
});

test.each([
  ['137b9e5e4e13211ce3487cb1f3148ad0ef4147e2a4647ca12191bd2c8528b646', 'https://api.example.com'],
  ['22236e3633f10cc1eebddb7118e4f6769654007b07e60aecf3caa402e159740f', 'https://example.com/eu'],
  ['d30a576c0318716717366ab932e3d7dfbc4009a5bc10176403b60892912f070e', 'http://127.0.0.1:8080'],
])('%s stands in status.proof for %s', (hash, baseUrl) => {
  expect(apiHashOf(baseUrl)).toBe(`sha256:${hash}`);
});
