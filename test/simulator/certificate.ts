import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export interface Certificate {
  /** PEM, and its own authority */
  readonly cert: string;
  /** PEM */
  readonly key: string;
}

const DAY_MS = 86_400_000;
const ECDSA_WITH_SHA256 = sequence(objectId('2a8648ce3d040302'));

/**
 * A self-signed certificate, made anew so that no private key lies in the repository. For a wrong
 * one give other addresses or days that are over.
 */
export function selfSigned(
  options: { address?: string | readonly string[]; daysLeft?: number } = {},
): Certificate {
  const { address = '127.0.0.1', daysLeft = 2 } = options;
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const until = Date.now() + daysLeft * DAY_MS;
  const name = sequence(
    element(0x31, sequence(objectId('550403'), element(0x0c, Buffer.from('simulator')))),
  );
  const addresses = sequence(
    ...[address].flat().map((one) => element(0x87, Buffer.from(one.split('.').map(Number)))),
  );
  const extensions = sequence(
    sequence(objectId('551d13'), element(0x04, sequence(element(0x01, Buffer.from([0xff]))))),
    sequence(objectId('551d11'), element(0x04, addresses)),
  );
  const content = sequence(
    element(0xa0, element(0x02, Buffer.from([2]))),
    element(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_WITH_SHA256,
    name,
    sequence(utcTime(until - 90 * DAY_MS), utcTime(until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    element(0xa3, extensions),
  );
  const signature = element(0x03, Buffer.from([0]), sign('sha256', content, privateKey));
  const whole = sequence(content, ECDSA_WITH_SHA256, signature);
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${whole.toString('base64')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** One element of DER: its tag, the length of what follows, and that. */
function element(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head = length < 0x80 ? [tag, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), content]);
}

function sequence(...parts: Buffer[]): Buffer {
  return element(0x30, ...parts);
}

function objectId(hex: string): Buffer {
  return element(0x06, Buffer.from(hex, 'hex'));
}

function utcTime(at: number): Buffer {
  const digits = new Date(at).toISOString().replaceAll(/[-:T]/g, '').slice(2, 14);
  return element(0x17, Buffer.from(`${digits}Z`));
}
