import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { masked } from '../../src/api/json.ts';
import { addressOf } from '../../src/kinds/organization/remote.ts';
import { settingsRequest } from '../../src/kinds/pipe-settings/remote.ts';
import type { PipeSettingsSpec } from '../../src/kinds/pipe-settings/resource.ts';
import {
  canonicalJson,
  digestOf,
  timestamp,
  wholeSecond,
} from '../../src/kinds/shared/canonical.ts';
import { aPipeSettings, BASE_URL } from '../support/objects.ts';

describe('canonical JSON', () => {
  test('sorts as RFC 8785 does in its own example: by UTF-16 units', () => {
    const value = {
      '\u20ac': 1,
      '\r': 2,
      '\ufb33': 3,
      '1': 4,
      '\ud83d\ude00': 5,
      '\u0080': 6,
      '\u00f6': 7,
    };
    const sorted = ['\r', '1', '\u0080', '\u00f6', '\u20ac', '\ud83d\ude00', '\ufb33'];
    expect(canonicalJson(value)).toBe(
      `{${sorted.map((key) => `${JSON.stringify(key)}:${value[key as keyof typeof value]}`).join(',')}}`,
    );
  });

  test('writes numbers and text as RFC 8785 does', () => {
    expect(canonicalJson([333333333.3333333, 1e30, 4.5, 2e-3, 1e-27, -0, null, true])).toBe(
      '[333333333.3333333,1e+30,4.5,0.002,1e-27,0,null,true]',
    );
    expect(canonicalJson('€$\u000f\nA\'B"\\\\"/')).toBe('"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"');
  });

  test('leaves out what is undefined, as JSON does', () => {
    expect(canonicalJson({ b: undefined, a: [undefined, { c: undefined }] })).toBe(
      '{"a":[null,{}]}',
    );
  });

  test('is one text for equal values, and parses to the value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(reversed(value))).toBe(text);
      }),
    );
  });
});

/** The same value with the members of every object the other way round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

test('a digest is that of its parts, each on a line, and another where the parts are', () => {
  expect(digestOf('a', 'b')).toBe(`sha256:${createHash('sha256').update('a\nb').digest('hex')}`);
  expect(digestOf('ab')).not.toBe(digestOf('a', 'b'));
});

describe('the hash of a request', () => {
  const hash = (spec: Partial<PipeSettingsSpec> = {}, baseUrl = BASE_URL): string =>
    settingsRequest(baseUrl, aPipeSettings({ spec }).spec as PipeSettingsSpec).hash;

  test('never changes for the same method, address, path and body: what is confirmed today is confirmed tomorrow', () => {
    const lines = [
      'PUT',
      BASE_URL,
      '/v1/organizations/org/services/service/pipes/pipe/settings',
      '{"engine_max_threads":8}',
    ];
    expect(hash()).toBe(`sha256:${createHash('sha256').update(lines.join('\n')).digest('hex')}`);
  });

  test('does not depend on the order in which settings are written, nor on what is not sent', () => {
    const settings = { engine_max_threads: 8, engine_max_insert_threads: 2 };
    expect(hash({ settings: { engine_max_insert_threads: 2, engine_max_threads: 8 } })).toBe(
      hash({ settings }),
    );
    expect(hash({ suspend: true, mode: 'Plan', credentialsSecretRef: { name: 'x' } })).toBe(hash());
  });

  test('is another for each id, each value, each address, and for 0 and absent', () => {
    const hashes = [
      hash(),
      hash({ organizationId: 'x' }),
      hash({ serviceId: 'x' }),
      hash({ pipeId: 'x' }),
      hash({ settings: { engine_max_threads: 9 } }),
      hash({ settings: { engine_max_threads: 8, engine_max_insert_threads: 0 } }),
      hash({ settings: { engine_max_threads: 8, object_storage_use_cluster_function: false } }),
      hash({}, `${BASE_URL}/eu`),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
  });
});

test('a body has neither null nor a key that nobody declared', () => {
  const settings = {
    engine_max_threads: 0,
    engine_max_insert_threads: undefined,
    object_storage_use_cluster_function: false,
  };
  const { body, keys } = settingsRequest(
    BASE_URL,
    aPipeSettings({ spec: { settings } }).spec as PipeSettingsSpec,
  );
  expect(body).toBe('{"engine_max_threads":0,"object_storage_use_cluster_function":false}');
  expect(keys).toEqual(['engine_max_threads', 'object_storage_use_cluster_function']);
});

test('a time is cut to whole seconds, a promise is rounded up to one', () => {
  const at = Date.parse('2026-01-01T00:00:00.001Z');
  expect(timestamp(at)).toBe('2026-01-01T00:00:00Z');
  expect(timestamp(wholeSecond(at))).toBe('2026-01-01T00:00:01Z');
  expect(wholeSecond(wholeSecond(at))).toBe(wholeSecond(at));
});

test('texts are masked wherever they stand in a result, and nothing else is touched', () => {
  const echoed = JSON.parse(
    '{"k":"my secret","secret":1,"l":[{"m":"secret"},2,null,true],"__proto__":{"n":"secret"}}',
  ) as Record<string, unknown>;
  const result = masked(echoed, (text) => text.replaceAll('secret', '***'));
  expect(JSON.stringify(result)).toBe(
    '{"k":"my ***","***":1,"l":[{"m":"***"},2,null,true],"__proto__":{"n":"***"}}',
  );
});

describe('what a status keeps of a request, worked out by another program', () => {
  const api = 'https://api.example.com';

  test('is of method, address, path and body', () => {
    const spec = { organizationId: 'org-1', serviceId: 'svc-1', pipeId: 'pipe-1' };
    const settings = { streaming_max_insert_wait_ms: 500 };
    const credentialsSecretRef = { name: 'key' };
    expect(settingsRequest(api, { ...spec, credentialsSecretRef, settings }).hash).toBe(
      'sha256:89fdc0099e24701e598549dbf585ab842080c50c07057d6116ce0771518eb1b6',
    );
    const organizationId = '0b1d7c52-91a4-4f0e-8a3b-6f1e2d3c4b5a';
    expect(addressOf(api, { organizationId, name: 'Acme Data' }).hash).toBe(
      'sha256:e56996295fdb2d230d42cf6b4ce6bcc7a1c348e94f4da93aafca1da7168bfa6f',
    );
    expect(digestOf(api)).toBe(
      'sha256:137b9e5e4e13211ce3487cb1f3148ad0ef4147e2a4647ca12191bd2c8528b646',
    );
  });

  test('does not tell the order of the endpoints', () => {
    const endpoints = ['psc-1', 'psc-2'].map((id) => ({ id, cloudProvider: 'gcp', region: 'r1' }));
    const hashOf = (list: typeof endpoints): string =>
      addressOf(api, { organizationId: 'acme', privateEndpoints: list }).hash;
    expect(hashOf(endpoints.toReversed())).toBe(hashOf(endpoints));
    expect(hashOf(endpoints.slice(1))).not.toBe(hashOf(endpoints));
  });
});
