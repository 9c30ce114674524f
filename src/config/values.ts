import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import * as z from 'zod/mini';
import { parseDuration } from '../duration.ts';
import { DNS_LABEL, DNS_NAME } from './dns-names.ts';

/**
 * A value read from a text. `otherwise` follows the quoted text in the message where there is none:
 * it says what is wrong and what to write. Why a file cannot be read is not told: that repeats the
 * path, and people put what a file holds where its path belongs.
 */
function reading<Value>(read: (text: string) => Value | undefined, otherwise: string) {
  return z.pipe(
    z.string(),
    z.transform((input: string, { issues }): Value => {
      try {
        const value = read(input);
        if (value !== undefined) return value;
      } catch {
        // A file or a certificate that cannot be read. Its error would repeat the text.
      }
      issues.push({ code: 'custom', message: otherwise, input });
      return z.NEVER;
    }),
  );
}

export const trueOrFalse = reading(
  (text) => (/^(true|false)$/.test(text) ? text === 'true' : undefined),
  'is neither true nor false; give one of them',
);

export const upToHundred = reading(
  (text) => (/^([1-9]\d?|100)$/.test(text) ? Number(text) : undefined),
  'is not a whole number from 1 to 100; give one',
);

/** Milliseconds. The bounds are written as a user would write them. */
export function duration(least: string, most: string) {
  const [leastMs = 0, mostMs = 0] = [parseDuration(least), parseDuration(most)];
  return reading((text) => {
    const value = parseDuration(text) ?? Number.NaN;
    return value >= leastMs && value <= mostMs ? value : undefined;
  }, `is not a time from ${least} to ${most}; give one, such as 90s or 1m30s`);
}

/** At most `calls` calls begin in any `perMs`; 0 calls: unlimited. */
export const rate = reading((text) => {
  if (text === '0') return { calls: 0, perMs: 1_000 };
  const [, count, window = ''] = /^(\d{1,6})\/(.+)$/.exec(text) ?? [];
  const calls = Number(count ?? 0);
  const perMs = parseDuration(window) ?? 0;
  return calls >= 1 && perMs >= 1 && perMs <= 24 * 3_600_000 ? { calls, perMs } : undefined;
}, 'is not a rate; give calls per time up to 24h, such as 10/10s, or 0 for unlimited');

/** No host: every address of the machine. */
export const listenAddress = reading((text): { host?: string; port: number } | undefined => {
  const [, ipv6, name = '', digits] = /^(?:\[([^\]]*)\]|([^:]*)):(\d{1,5})$/.exec(text) ?? [];
  const [host, port] = [ipv6 ?? name, Number(digits)];
  const isHost =
    ipv6 === undefined ? host === '' || DNS_NAME.test(host.toLowerCase()) : isIPv6(ipv6);
  return port <= 65_535 && isHost ? { ...(host !== '' && { host }), port } : undefined;
}, 'is not an address to listen on; give host:port, :port or [IPv6]:port, with a port up to 65535');

const LABEL_WORDS = 'give 1 to 63 of a-z, 0-9 and -, with a letter or digit at both ends';

export const namespace = z
  .string()
  .check(z.regex(DNS_LABEL, `is not the name of a namespace; ${LABEL_WORDS}`));

export const leaseName = z
  .string()
  .check(z.regex(DNS_NAME, 'is not the name of a Lease; give a-z, 0-9, - and dots'));

/** Without duplicates. */
export const namespaces = reading((text) => {
  const names = new Set(text.split(',').map((name) => name.trim()));
  return [...names].every((name) => DNS_LABEL.test(name)) ? [...names] : undefined;
}, `are not names of namespaces, comma-separated; for each ${LABEL_WORDS}`);

const NAME = '[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?';
const KEY = `(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?/)?${NAME}`;
const LABEL = new RegExp(`^(${KEY})\\s*==?\\s*((?:${NAME})?)$`);
const SET = `(?:not)?in \\(${NAME}(?:,${NAME})*\\)`;
const REQUIREMENT = new RegExp(`^(?:!?${KEY}|${KEY}!?=(?:${NAME})?|${KEY}[<>]\\d+|${KEY} ${SET})$`);

/** In one spelling: processes with the same shard must share a Lease. */
export const labelSelector = reading((text) => {
  const tidy = text
    .replaceAll('==', '=')
    .replaceAll(/\s*([=!<>,()])\s*/g, '$1')
    .replaceAll(
      /\s+((?:not)?in)\(([^()]*)\)/g,
      (_, operator, values) => ` ${operator} (${sorted(values.split(','))})`,
    );
  const requirements = tidy.split(/,(?![^()]*\))/);
  return requirements.every((one) => REQUIREMENT.test(one)) ? sorted(requirements) : undefined;
}, 'is not a label selector; give requirements such as shard=a, tier!=test, env in (dev,qa), team, !legacy');

function sorted(items: readonly string[]): string {
  return [...new Set(items)].toSorted().join(',');
}

export const labels = reading((text): Readonly<Record<string, string>> | undefined => {
  const found = text.split(',').map((part) => LABEL.exec(part.trim()) ?? []);
  const record = Object.fromEntries(found.map(([, key = '', value = '']) => [key, value]));
  return Object.keys(record).length === found.length && !('' in record) ? record : undefined;
}, 'is not a list of labels, each named once; give them like team=data,tier=prod');

export const readableFile = reading(
  (path) => (readFileSync(path) ? path : undefined),
  'is not a file that can be read; check the path and its permissions and, in a Pod, the mount',
);

/** As PEM text. Anything else in the file, such as a private key, is left out. */
export const certificates = z.pipe(
  readableFile,
  reading((path) => {
    const block = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;
    const blocks = readFileSync(path, 'utf8').match(block) ?? [];
    return blocks.map((pem) => new X509Certificate(pem).toString()).join('') || undefined;
  }, 'holds no certificate, or a damaged one; give a PEM file of CA certificates'),
);
