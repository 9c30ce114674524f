import { describe, expect, test } from 'vitest';
import type { Credential } from '../../src/api/credential.ts';
import { createCredentials } from '../../src/kinds/shared/credentials.ts';
import { bugFields, errorFields } from '../../src/telemetry/log.ts';
import { createLog } from '../../src/telemetry/logger.ts';
import { createRedactor } from '../../src/telemetry/mask.ts';
import {
  LENGTHS,
  type SecretSample,
  secretSamples,
  traceFinder,
} from '../support/secret-values.ts';

const OTHER = 'the-other-half-of-the-key';

/** What the operator makes of a Secret with this value as `part`, and what its log looks for then. */
async function read({ bytes }: SecretSample, part: 'keyId' | 'keySecret') {
  const redactor = createRedactor();
  const data = { keyId: btoa(OTHER), keySecret: btoa(OTHER), [part]: bytes.toString('base64') };
  const secret = {
    metadata: {
      name: 'api',
      namespace: 'ns',
      uid: 'u',
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    data,
  };
  const credentials = createCredentials({
    secrets: {
      read: () => Promise.resolve({ state: 'present', resourceVersion: '1', secret }),
      forget: () => undefined,
    },
    baseUrl: 'https://api.test',
    guard: redactor.add,
  });
  return { redactor, found: await credentials.read('ns', { name: 'api' }) };
}

const samples = secretSamples();

/** What the key is; white space around it is no part of it. */
function keyIn({ bytes }: SecretSample): string {
  return bytes.toString('latin1').trim();
}

function traceOf(sample: SecretSample, said: readonly string[]): string | undefined {
  return traceFinder(said)(Buffer.from(keyIn(sample), 'latin1'));
}

test('there are 40 lengths up to 1 MiB and 8 alphabets', () => {
  expect(new Set(LENGTHS).size).toBe(40);
  expect(samples).toHaveLength(320);
  for (const { name, bytes } of samples) expect(bytes.length).toBe(Number(name.split('-')[1]));
});

describe.each([
  ['keyId', 256],
  ['keySecret', 4096],
] as const)('as %s', (part, longest) => {
  test('a longer one is refused, and no part of it told', async () => {
    const tooLong = samples.filter((sample) => keyIn(sample).length > longest);
    expect(tooLong.length).toBeGreaterThan(8 * 8);
    for (const sample of tooLong) {
      const { found } = await read(sample, part);
      expect(found).toMatchObject({ ok: false, problem: { reason: 'SecretInvalid' } });
      expect(traceFinder([JSON.stringify(found)])(sample.bytes)).toBeUndefined();
    }
  });

  test('what is used is masked in every text of the API, and of the rest no part is told', async () => {
    let used = 0;
    for (const sample of samples) {
      const { found } = await read(sample, part);
      if (found.ok) used += 1;
      const said = found.ok ? masked(keyIn(sample), found.credential) : JSON.stringify(found);
      expect(traceOf(sample, [said]), sample.name).toBeUndefined();
    }
    expect(used).toBeGreaterThan(50);
  });
});

/** What is left of an answer that says a key in every way. */
function masked(value: string, { authorization, mask }: Credential): string {
  const pair = Buffer.from(authorization.slice(6), 'base64').toString();
  const said = [value, btoa(value), encodeURIComponent(value), JSON.stringify(value), pair];
  return mask(said.map((one) => `no ${one}, no`).join('\n'));
}

test('an error of our own that says a key leaves no part of it in the log, wherever the line is cut', async () => {
  for (const sample of samples) {
    const { found, redactor } = await read(sample, 'keySecret');
    if (!found.ok || keyIn(sample).length < 6) continue;
    const value = keyIn(sample);
    const written: string[] = [];
    const destination = { write: (line: string) => written.push(line) };
    const log = createLog({ level: 'trace', redactor, destination });
    for (const before of [0, 500, 1000, 1015, 1020]) {
      const said = `${'x'.repeat(before)}: /${value}|${btoa(value)}/: Regular expression too large`;
      const error = new Error(said, { cause: new Error(said) });
      log.error(errorFields(error), 'a bug');
      log.fatal({ said, causes: [said], ...bugFields(error) }, 'a bug');
    }
    expect(written).toHaveLength(10);
    expect(traceOf(sample, written), sample.name).toBeUndefined();
    for (const line of written) expect(line.length).toBeLessThan(8_000);
  }
});
