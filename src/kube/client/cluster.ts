/**
 * What a new TLS connection is made with, as PEM. The same object for as long as nothing of it has
 * changed.
 */
export interface TlsMaterial {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

/** Who we are to the API server, at one moment. Never logged. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: TlsMaterial;
}

/** One API server and our identity there, both of which may be renewed while the process runs. */
export interface Cluster {
  /** May have a path, as behind a proxy that serves several clusters. */
  readonly server: URL;
  /** True: whoever answers is taken for the API server. Absent: its certificate is checked. */
  readonly isUnverified?: () => boolean;
  /** Our own namespace in a cluster, else that of the context. */
  readonly namespace: string | undefined;
  /**
   * Cheap enough for every call: files are looked at again after 10 s at the soonest. Throws
   * KubeError where there is no identity to be had.
   */
  credentials(): Promise<Credentials>;
  /** To be called after a 401: looks at files again now, asks an exec plugin anew. */
  renew(): Promise<void>;
}
