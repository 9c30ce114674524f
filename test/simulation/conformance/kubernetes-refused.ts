import { expect } from 'vitest';
import type { ResourceType } from '../../../src/kube/resource.ts';
import type { Answer } from './kubernetes-under-test.ts';

interface Refused {
  readonly status: number;
  /** Absent: there is none. */
  readonly reason?: string;
  /** All of it; or only a part that must be in it. Absent: whatever it says. */
  readonly message?: string | { readonly with: string };
  /** Of which object it speaks. Absent: it does not matter. */
  readonly of?: { readonly type: ResourceType; readonly name?: string; readonly byKind?: true };
}

/** The answer is a Status object that says this. */
export function expectRefused({ status, body }: Answer, refused: Refused): void {
  const { reason, message, of } = refused;
  expect({ status, reason: body.reason }).toEqual({ status: refused.status, reason });
  expect(body).toMatchObject({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code: status });
  expect(body.message).toEqual(
    typeof message === 'object'
      ? expect.stringContaining(message.with)
      : (message ?? expect.any(String)),
  );
  if (!of) return;
  const { type, name, byKind } = of;
  const { causes: _, ...details } = (body.details ?? {}) as Readonly<Record<string, unknown>>;
  expect(details).toEqual({
    ...(name !== undefined && { name }),
    ...(type.group !== '' && { group: type.group }),
    kind: byKind ? type.kind : type.plural,
  });
}
