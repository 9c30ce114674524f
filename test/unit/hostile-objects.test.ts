import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { kindSchema } from '../../crds/manifest.ts';
import { definitions } from '../../src/kinds/definitions.ts';
import { forged, spoiltOf } from '../support/forged.ts';
import { lifeOf, SPECS } from '../support/one-life.ts';

/** A cluster whose CRD is older or laxer than this operator may hand over anything as spec. */
describe.each(definitions.map((definition) => [definition.type.kind, definition] as const))(
  '%s',
  (kind, definition) => {
    const declared = SPECS[kind as keyof typeof SPECS];
    const spec = fc.oneof(fc.constant(declared), forged(kindSchema(definition).spec));

    test('takes any spec that the schema takes, whatever the API answers', async () => {
      await fc.assert(
        fc.asyncProperty(spec, fc.nat(), async (one, seed) => {
          await lifeOf({ definition, spec: one, seed });
        }),
        { numRuns: 60 },
      );
    });

    test('takes a deep spec', async () => {
      const deep: unknown = JSON.parse(`${'{"a":['.repeat(200)}${']}'.repeat(200)}`);
      for (const one of [deep, { ...declared, name: deep, settings: deep }])
        await expect(lifeOf({ definition, spec: one })).resolves.toBeDefined();
    });

    test('takes any JSON as spec', async () => {
      await fc.assert(
        fc.asyncProperty(spoiltOf(spec), fc.nat(), async (odd, seed) => {
          await lifeOf({ definition, spec: odd, seed });
        }),
        { numRuns: 100 },
      );
    });
  },
);
