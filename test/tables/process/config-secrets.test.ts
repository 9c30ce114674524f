import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FLAGS, parsed, URL_FLAG } from './flags.ts';

const CANARY = 'hunter22canary';
const variableOf = (flag: string): string =>
  `PIPEWRIGHT_${flag.slice(2).toUpperCase().replaceAll('-', '_')}`;

function messageOf(argv: readonly string[], env: Readonly<Record<string, string>> = {}): string {
  const config = parsed(argv, env);
  return config.ok ? '' : config.message;
}

/** Ways in which a value comes to a flag, or beside it. */
const WAYS = ['=', 'apart', 'environment', 'mistyped', 'mistyped apart', 'stray'] as const;

function messageFor(how: (typeof WAYS)[number], flag: string, value: string): string {
  const more = flag === '--api-url' ? [] : [URL_FLAG];
  const mistyped = `--x-${flag.slice(2)}`;
  const words = {
    '=': [`${flag}=${value}`],
    apart: [flag, value],
    mistyped: [`${mistyped}=${value}`, `${flag.slice(1)}=${value}`],
    'mistyped apart': [mistyped, value],
    stray: [value],
    environment: [],
  };
  const env = how === 'environment' ? { [variableOf(flag)]: value } : {};
  return messageOf([...more, ...words[how]], env);
}

/** In front of the last @ a password may have anything in it. */
const BEFORE = ['', '/', '=', '@', ':', '#', '?', ',', 'x,', '1/', '12:', '%', ' ', '\n', '"'];
const AFTER = ['', '/', '=', '@', '#', ',y', ' ', '!'];
const HOSTS = ['proxy.example.com', 'h:1', 'h:99999', '[::1]:80', 'h/path?a=b', ''];
const oneOf = (texts: readonly string[]) => fc.constantFrom(...texts);
const inUserInfo = fc
  .tuple(oneOf(['bob:', ':', '']), oneOf(BEFORE), oneOf(AFTER), oneOf(HOSTS))
  .map(([user, before, after, host]) => `${user}${before}${CANARY}${after}@${host}`);
const beside = fc
  .tuple(oneOf(['bob:', 'h?token=', 'h/#', 'password=', 'a=b,token=']), oneOf(['', ',y', ' z']))
  .map(([before, after]) => `${before}${CANARY}${after}`);
/** Where an address or a list of key=value is meant, and what is pasted there by mistake. */
const withPassword = fc
  .tuple(oneOf(['', 'http://', 'socks5://', 'HTTP://']), fc.oneof(inUserInfo, beside))
  .map((parts) => parts.join(''));

it('a password in any value is not repeated', () => {
  const [flag, way] = [oneOf(FLAGS), fc.constantFrom(...WAYS)];
  fc.assert(
    fc.property(flag, withPassword, way, (name, value, how) => {
      expect(messageFor(how, name, value)).not.toContain(CANARY);
      expect(messageOf([URL_FLAG], { https_proxy: value })).not.toContain(CANARY);
    }),
    { numRuns: 1_000 },
  );
});

const pem = (kind: string, body: string): string =>
  `-----BEGIN ${kind}-----\n${body}\n-----END ${kind}-----\n`;
/** What a file may hold, with a secret behind its beginning. */
const TEXTS: readonly string[] = [
  pem('EC PRIVATE KEY', `MHcCAQEEI\n${CANARY}`),
  pem('RSA PRIVATE KEY', `X: me@host\n\n=${CANARY}`),
  btoa(pem('EC PRIVATE KEY', 'MHcCAQEEI')) + CANARY,
  `MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg${'A'.repeat(40)}${CANARY}`,
  `apiVersion: v1\nusers:\n- user: {token: ${CANARY}}\n`,
];

it.each(WAYS)('of the text of a file in the place of its path nothing is repeated: %s', (how) => {
  for (const flag of ['--kubeconfig', '--api-ca-file', '--listen', '--selector'])
    for (const text of TEXTS)
      for (const end of ['\n', '\r\n', '\r', '\\n', '\\r\\n']) {
        const message = messageFor(how, flag, text.replaceAll('\n', end));
        expect(message).toMatch(/^pipewright cannot start/);
        expect(message).not.toContain(CANARY);
      }
});

it('--help and --version end well, whatever else is wrong', () => {
  const version = { ok: false, exitCode: 0, message: 'pipewright 1.2.3\n' };
  expect(parsed(['--nonsense', '--version'])).toEqual(version);
  const help = parsed(['--help', '--api-in-flight=x']);
  expect(help).toMatchObject({ ok: false, exitCode: 0 });
  const named = (help.ok ? '' : help.message).match(/(?<=^ {2})--[a-z-]+/gm);
  expect(named).toEqual([...FLAGS, '--help', '--version']);
});
