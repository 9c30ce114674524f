import type { Part } from './parts.ts';

/** What a bill of materials is about. */
export interface Subject {
  readonly name: string;
  readonly kind: 'container' | 'application';
  readonly version: string;
  readonly purl: string;
  /** RFC 3339. */
  readonly created: string;
  readonly parts: readonly Part[];
}
