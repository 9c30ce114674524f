import type { Kubectl } from './kubectl.ts';

/** What every command gets. */
export interface Context {
  readonly kubectl: Kubectl;
  /** Epoch ms. */
  readonly now: () => number;
  /** Of the terminal; undefined where the output goes elsewhere. */
  readonly columns: number | undefined;
}

/** What a command leaves behind. */
export interface Outcome {
  /** For stdout. */
  readonly lines: readonly string[];
  /** For stderr. */
  readonly notes?: readonly string[];
  /** 0: fine. 1: an error, which `notes` tell. 2: a finding. */
  readonly code: 0 | 1 | 2;
}
