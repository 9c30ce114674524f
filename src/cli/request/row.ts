import type { Condition } from '../../controller/conditions.ts';
import type { Found } from '../cluster/objects.ts';

/** What became of one object. */
export interface Row {
  /** As messages name it. */
  readonly title: string;
  readonly found?: Found;
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly result: 'written' | 'unchanged' | 'failed' | 'notWritten' | 'unknown';
  readonly text: string;
  readonly remark?: string | undefined;
  readonly waited?: Waited;
}

/** How waiting for an object ended. */
export type Waited =
  | { readonly end: 'acted'; readonly ready: Condition }
  | { readonly end: 'deleted' | 'timedOut' | 'stopped' }
  | { readonly end: 'failed'; readonly error: string };
