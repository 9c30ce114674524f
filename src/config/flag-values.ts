import { X509Certificate } from 'node:crypto';
import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { parseDuration } from '../duration.ts';
import { isTextOfFile, shown } from '../shown.ts';
import { DNS_LABEL, DNS_NAME } from './dns-names.ts';
import type { Reading } from './flags.ts';

/** At most `calls` call starts in any window of `perMs`; 0 calls: unlimited. */
export interface Rate {
  readonly calls: number;
  readonly perMs: number;
}

/** Where to listen; no host means every address of the machine. */
export interface ListenAddress {
  readonly host?: string;
  readonly port: number;
}

const LONGEST_RATE_WINDOW_MS = 24 * 3_600_000;

/** Text as it is, for what only the cluster can judge. */
export function anyText(text: string): Reading<string> {
  return { value: text };
}

export function oneOf<Choice extends string>(
  choices: readonly Choice[],
): (text: string) => Reading<Choice> {
  return (text) => {
    const choice = choices.find((one) => one === text);
    if (choice !== undefined) return { value: choice };
    return {
      problem: `${shown(text)} is not one of ${choices.join(', ')}`,
    };
  };
}

export function trueOrFalse(text: string): Reading<boolean> {
  if (text === 'true' || text === 'false') return { value: text === 'true' };
  return { problem: `${shown(text)} is neither true nor false` };
}

export function wholeNumber(least: number, most: number): (text: string) => Reading<number> {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return { value };
    return { problem: `${shown(text)} is not a whole number from ${least} to ${most}` };
  };
}

/** Milliseconds. The bounds are written as a user would write them, for the message. */
export function duration(least: string, most: string): (text: string) => Reading<number> {
  const [leastMs = 0, mostMs = 0] = [parseDuration(least), parseDuration(most)];
  return (text) => {
    const value = parseDuration(text);
    if (value !== undefined && value >= leastMs && value <= mostMs) return { value };
    const what = value === undefined ? 'is not a duration' : 'is out of range';
    return {
      problem: `${shown(text)} ${what}; give one from ${least} to ${most}, such as 35s or 1m30s`,
    };
  };
}

export function rate(text: string): Reading<Rate> {
  if (text === '0') return { value: { calls: 0, perMs: 1000 } };
  const [, count = '', window = ''] = /^(\d{1,6})\/(.+)$/.exec(text) ?? [];
  const calls = Number(count);
  const perMs = parseDuration(window) ?? 0;
  if (calls >= 1 && perMs >= 1 && perMs <= LONGEST_RATE_WINDOW_MS)
    return { value: { calls, perMs } };
  return {
    problem: `${shown(text)} is not a rate; give calls per time up to 24h, such as 10/10s, or 0 for unlimited`,
  };
}

export function listenAddress(text: string): Reading<ListenAddress> {
  const [, bracketed, bare = '', digits = ''] =
    /^(?:\[([^\]]*)\]|([^:]*)):(\d{1,5})$/.exec(text) ?? [];
  const port = digits === '' ? Number.NaN : Number(digits);
  const hostFits =
    bracketed === undefined ? bare === '' || DNS_NAME.test(bare.toLowerCase()) : isIPv6(bracketed);
  if (port <= 65_535 && hostFits) {
    const host = bracketed ?? bare;
    return { value: { ...(host !== '' && { host }), port } };
  }
  return {
    problem: `${shown(text)} is not an address to listen on; give host:port, :port or [IPv6]:port with a port from 0 to 65535`,
  };
}

/** Without duplicates, in the order given. */
export function namespaces(text: string): Reading<readonly string[]> {
  const names = text.split(',').map((name) => name.trim());
  const wrong = names.filter((name) => !DNS_LABEL.test(name));
  if (wrong.length === 0) return { value: [...new Set(names)] };
  // Together: a comma may stand in a password.
  return {
    problem: `${shown(wrong.join(', '))} cannot be the name of a namespace; give names of 1 to 63 of a-z, 0-9 and -, comma-separated`,
  };
}

export function dnsLabel(text: string): Reading<string> {
  if (DNS_LABEL.test(text)) return { value: text };
  return {
    problem: `${shown(text)} is not a name of 1 to 63 of a-z, 0-9 and -, with a letter or digit at both ends`,
  };
}

export function dnsName(text: string): Reading<string> {
  if (DNS_NAME.test(text)) return { value: text };
  return {
    problem: `${shown(text)} is not a name of a-z, 0-9, - and dots, with a letter or digit at both ends`,
  };
}

/** The path, once the file is known to be there. */
export function existingFile(path: string): Reading<string> {
  const problem = whyUnreadable(path);
  return problem === undefined ? { value: path } : { problem };
}

/**
 * The certificates of a PEM file as PEM text; anything else in the file, a private key too, is left
 * out.
 */
export function certificates(path: string): Reading<string> {
  const problem = whyUnreadable(path);
  if (problem !== undefined) return { problem };
  const blocks =
    readFileSync(path, 'utf8').match(
      /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g,
    ) ?? [];
  if (blocks.length > 0 && blocks.every(isCertificate)) return { value: `${blocks.join('\n')}\n` };
  return {
    problem: `${shown(path)} ${blocks.length === 0 ? 'holds no certificate' : 'holds a certificate that cannot be read'}; give a PEM file of CA certificates`,
  };
}

function whyUnreadable(path: string): string | undefined {
  if (isTextOfFile(path)) return 'holds the text of a file; give the path of one';
  try {
    accessSync(path, constants.R_OK);
    return statSync(path).isFile()
      ? undefined
      : `${shown(path)} is not a file; give the path of one`;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    const cause =
      code === 'ENOENT'
        ? 'does not exist; check the path and, in a pod, the mount'
        : `cannot be read (${code}); check its permissions`;
    return `the file ${shown(path)} ${cause}`;
  }
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined;
  } catch {
    return false;
  }
}
