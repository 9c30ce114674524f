/** Says what is wrong, or undefined when all is well. Must not block: it is asked on every probe. */
export type Check = () => string | undefined;

export interface ServerOptions {
  readonly listen: { readonly host?: string; readonly port: number };
  /** By name; one that complains makes /livez fail, and the kubelet restarts the process. */
  readonly live: Readonly<Record<string, Check>>;
  /** By name; one that complains makes /readyz fail. Standbys are ready. */
  readonly ready: Readonly<Record<string, Check>>;
  readonly metrics: () => string;
}

export interface StatusServer {
  /** The real one, also where 0 was asked for. */
  readonly port: number;
  /** Ends open connections too; resolves when the port is free. */
  close(): Promise<void>;
}
