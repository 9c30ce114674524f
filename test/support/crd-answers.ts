import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { ResourceType } from '../../src/kube/resource.ts';
import { tryCreate } from './crd.ts';

type Parsed =
  | { readonly ok: true; readonly spec: unknown }
  | { readonly ok: false; readonly message: string };

/** What the API server and the parser of a kind say to the same spec. */
export async function answersTo(
  spec: unknown,
  options: {
    readonly namespace: string;
    readonly type: ResourceType;
    readonly parseSpec: (object: { readonly spec: unknown }) => Parsed;
  },
) {
  const { status, json } = await tryCreate(options.namespace, spec, options.type);
  const parsed = options.parseSpec({ spec });
  if (status === 201 && parsed.ok)
    return {
      stored: isDeepStrictEqual(json.spec, spec),
      parsed: isDeepStrictEqual(parsed.spec, spec),
    };
  return { status, server: String(json.message), parser: parsed.ok ? 'fine' : parsed.message };
}

/** Both take it, and neither changes it. */
export const TAKEN = { stored: true, parsed: true };

/** Both refuse it, and both name all of these. */
export function refusedFor(...fields: readonly string[]) {
  const namesAll = expect.toSatisfy((text: string) => fields.every((one) => text.includes(one)));
  return { status: 422, server: namesAll as unknown, parser: namesAll as unknown };
}

/** A refusal that a person can read: no regular expression in it. */
export function inWords(): unknown {
  return expect.not.stringMatching(/should match|\[(a-z|A-Z|0-9)|\][+*]/);
}
