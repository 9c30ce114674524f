import { expect, test } from 'vitest';
import { kindSchema } from '../../crds/manifest.ts';
import { definitions } from '../../src/kinds/definitions.ts';
import { largest } from '../support/largest.ts';

const KIB = 1024;

for (const definition of definitions) {
  test(`the largest status that ${definition.type.kind} allows is under 256 KiB of JSON`, () => {
    const { status } = kindSchema(definition);
    expect(definition.status.safeParse(largest(status)).error).toBeUndefined();
    expect(size(largest(status))).toBeLessThan(256 * KIB);
  });
}

function size(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
