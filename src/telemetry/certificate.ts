import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { Clock } from '../clock.ts';
import { errorFields, type Log } from '../log.ts';

/** PEM text. */
export interface Pair {
  readonly cert: string;
  readonly key: string;
}

/** A certificate with its key, in files that somebody renews while the process runs. */
export interface Certificate {
  /** Throws where there is none. */
  first(): Pair;
  /**
   * Gives the pair to `use` where the files hold another than before. One that cannot be read, or
   * that `use` throws at, is told of once and leaves the one before as it is.
   */
  renew(use: (pair: Pair) => void): void;
}

const LOOK_AGAIN_MS = 1_000;

/**
 * Looks at the files when somebody connects, for a watch of files sees a mounted Secret change only
 * on some systems.
 */
export function createCertificate({
  certFile,
  keyFile,
  clock,
  log,
}: {
  readonly certFile: string;
  readonly keyFile: string;
  readonly clock: Clock;
  readonly log: Log;
}): Certificate {
  let looked = Number.NEGATIVE_INFINITY;
  /** The pair in use, as text. */
  let used = '';
  /** Why what the files hold since cannot be used. */
  let told = '';

  const read = (): Pair => ({
    cert: readFileSync(certFile, 'utf8'),
    key: readFileSync(keyFile, 'utf8'),
  });

  return {
    first() {
      try {
        const pair = read();
        check(pair);
        used = textOf(pair);
        return pair;
      } catch (cause) {
        const why = cause instanceof Error ? cause.message : String(cause);
        throw new Error(
          `cannot use --metrics-tls-cert ${certFile} with --metrics-tls-key ${keyFile}: ${why}`,
          { cause },
        );
      }
    },
    renew(use) {
      if (clock.monotonic() - looked < LOOK_AGAIN_MS) return;
      looked = clock.monotonic();
      try {
        const pair = read();
        if (textOf(pair) !== used) {
          // Each time: one that is not valid yet is so later.
          check(pair);
          checkDate(pair, clock);
          use(pair);
          used = textOf(pair);
          log.info({ certFile }, 'the metrics have a new certificate');
        }
        told = '';
      } catch (error) {
        if (told === String(error)) return;
        told = String(error);
        log.warn(
          { ...errorFields(error), certFile, keyFile },
          'cannot use the new certificate of the metrics; keeping the one before',
        );
      }
    },
  };
}

/** Node itself would take empty files, and then refuse every handshake. */
function check({ cert, key }: Pair): void {
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))
    throw new Error('the key is not that of the certificate');
  // A chain that breaks off, a key that is too small.
  createSecureContext({ cert, key });
}

/**
 * One that is over, or not valid yet, is used where there is no other: the metrics are not worth
 * the operator.
 */
function checkDate({ cert }: Pair, clock: Clock): void {
  const { validFrom, validTo } = new X509Certificate(cert);
  if (Date.parse(validFrom) > clock.now())
    throw new Error(`the certificate is not valid before ${validFrom}`);
  if (Date.parse(validTo) <= clock.now())
    throw new Error(`the certificate is over since ${validTo}`);
}

function textOf({ cert, key }: Pair): string {
  return `${cert}\n${key}`;
}
