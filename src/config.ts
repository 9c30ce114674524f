import type { LogLevel } from './log.ts';

/** At most `calls` call starts in any window of `perMs`. */
export interface Rate {
  readonly calls: number;
  readonly perMs: number;
}

/** Where to listen; no host means every address of the machine. */
export interface ListenAddress {
  readonly host?: string;
  readonly port: number;
}

/** What the process was asked to do; every value checked. */
export interface Config {
  readonly apiUrl: URL;
  /** PEM text, not a path. */
  readonly apiCa?: string;
  readonly apiRate: Rate | 'unlimited';
  readonly apiInFlight: number;
  readonly apiTimeoutMs: number;
  readonly kubeconfig?: string;
  readonly context?: string;
  /** Empty: all. */
  readonly namespaces: readonly string[];
  readonly selector?: string;
  readonly concurrency: number;
  readonly leaderElect: boolean;
  readonly leaderElectName: string;
  /** Absent: the process's own namespace, which only a process in a cluster has. */
  readonly leaderElectNamespace?: string;
  readonly cleanupDeadlineMs: number;
  readonly listen: ListenAddress;
  readonly logLevel: LogLevel;
}

/** `message` is for the terminal as it is: to stdout where the exit code is 0 (help, version), else to stderr. */
export type ParsedConfig =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly exitCode: 0 | 2; readonly message: string };
