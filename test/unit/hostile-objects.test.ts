import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { definitions } from '../../src/kinds/definitions.ts';
import { kindSchema } from '../../src/kinds/schema/manifest.ts';
import { forged, spoiltOf } from '../support/forged.ts';
import { lifeOf, SPECS } from '../support/one-life.ts';

/**
 * A cluster whose CRD is older or laxer than this operator may hand over anything as spec and
 * status, and whoever may write a status may write anything that the schema takes.
 */

/** A condition without a word, where nothing is due yet: it is kept. */
const UNSAID = {
  conditions: [
    {
      type: 'Ready',
      status: 'True',
      reason: 'Unauthorized',
      message: '',
      observedGeneration: 2,
      lastTransitionTime: '2026-03-01T12:00:00Z',
    },
  ],
  proof: { time: '2026-03-01T12:00:00Z', apiHash: 'Ready' },
};

describe.each(definitions.map((definition) => [definition.type.kind, definition] as const))(
  '%s',
  (kind, definition) => {
    const schema = kindSchema(definition);
    const declared = SPECS[kind as keyof typeof SPECS];
    const good = fc.constant(declared);
    const spec = fc.oneof(good, forged(schema.spec));
    const status = forged(schema.status);

    test('takes any status that the schema takes', async () => {
      await fc.assert(
        fc.asyncProperty(spec, status, fc.nat(), async (one, forgedStatus, seed) => {
          await lifeOf({ definition, spec: one, status: forgedStatus, seed });
        }),
        { numRuns: 60 },
      );
    });

    test('names nothing of another namespace, whatever stands there for the same target', async () => {
      await fc.assert(
        fc.asyncProperty(good, status, status, fc.nat(), async (one, own, theirs, seed) => {
          const metadata = {
            name: 'canary-name',
            namespace: 'canary-namespace',
            uid: 'canary-uid',
            resourceVersion: '6',
            generation: 2,
            creationTimestamp: '2026-01-01T00:00:00Z',
          };
          const secret = { credentialsSecretRef: { name: 'canary-secret' } };
          const neighbour = { metadata, spec: { ...one, ...secret }, status: theirs };
          const told = await lifeOf({ definition, spec: one, status: own, seed, neighbour });
          expect(JSON.stringify(told)).not.toContain('canary');
        }),
        { numRuns: 80, examples: [[declared, UNSAID, { proof: UNSAID.proof }, 0]] },
      );
    });

    test('takes any JSON as status', async () => {
      await fc.assert(
        fc.asyncProperty(good, spoiltOf(status), fc.nat(), async (one, odd, seed) => {
          await lifeOf({ definition, spec: one, status: odd, seed });
        }),
        { numRuns: 100 },
      );
    });

    test('takes a spec without a bottom', async () => {
      const deep: unknown = JSON.parse(`${'{"a":['.repeat(1_500)}${']}'.repeat(1_500)}`);
      for (const one of [
        deep,
        { ...SPECS[kind as keyof typeof SPECS], name: deep, settings: deep },
      ])
        await expect(
          lifeOf({ definition, spec: one, status: undefined, seed: 0 }),
        ).resolves.toBeDefined();
    });

    test('takes any JSON as spec', async () => {
      await fc.assert(
        fc.asyncProperty(spoiltOf(spec), status, fc.nat(), async (odd, one, seed) => {
          await lifeOf({ definition, spec: odd, status: one, seed });
        }),
        { numRuns: 60 },
      );
    });
  },
);
