import { it } from 'vitest';

/** What holds, in words and as a check. */
export type Law<Scene> = readonly [says: string, lawHolds: (scene: Scene) => Promise<void>];

/** A law for every name: a switch or a choice that is new does not compile before it has one. */
export type Laws<Name extends string, Scene> = Readonly<Record<Name, Law<Scene>>>;

/** One test for each law, in a scene of its own. */
export function testLaws<Name extends string, Scene>(
  laws: Laws<Name, Scene>,
  open: (name: Name) => Promise<Scene>,
): void {
  for (const [name, [says, lawHolds]] of Object.entries<Law<Scene>>(laws)) {
    it(`${name}: ${says}`, async () => lawHolds(await open(name as Name)));
  }
}
