/** The part of a logger that Kubernetes access uses: a constant message, and fields for what varies. A pino logger is one. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}
