import { readFileSync } from 'node:fs';
import { RATE_HEADERS, type Rate, type RateHeader, type SimulatorOptions } from './types.ts';

export type Flags =
  | { readonly options: SimulatorOptions; readonly quiet: boolean }
  | { readonly problems: string[] }
  | { readonly help: true };

interface Flag {
  readonly value?: string;
  readonly says: string;
}

const FLAGS: Readonly<Record<string, Flag>> = {
  '--port': { value: 'N', says: 'port on 127.0.0.1; 0 or absent: one that is free' },
  '--key-id': {
    value: 'ID',
    says: 'id of an API key; may be given again, each with its --key-secret',
  },
  '--key-secret': { value: 'SECRET', says: 'secret of that key' },
  '--latency-ms': { value: 'N', says: 'how long each answer takes' },
  '--rate': {
    value: 'CALLS/SECONDSs',
    says: 'most calls of one key in a stretch of time, as 10/10s; more get 429',
  },
  '--rate-header': { value: 'KIND', says: `what a 429 says: ${RATE_HEADERS.join(', ')}` },
  '--pipe': {
    value: 'ORG/SERVICE/PIPE',
    says: 'a pipe that exists, and without --any-pipe the only one; may be given again',
  },
  '--organization': {
    value: 'UUID',
    says: 'an organization that exists from the start, with two endpoints of others; may be given again',
  },
  '--activity': {
    value: 'ORG/ID',
    says: 'an activity that exists from the start; may be given again',
  },
  '--any-pipe': { says: 'every pipe exists; so it is without --pipe' },
  '--tls-cert': { value: 'FILE', says: 'serve https with this certificate' },
  '--tls-key': { value: 'FILE', says: 'its private key' },
  '--control': { says: 'serve /_control/ for other processes' },
  '--quiet': { says: 'print no line per call' },
  '--help': { says: 'this text' },
};

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What every flag does, a line each. */
export function usage(): string {
  const lines = Object.entries(FLAGS).map(([name, { value, says }]) => {
    const left = value === undefined ? name : `${name} ${value}`;
    return `  ${left.padEnd(26)} ${says}`;
  });
  return [
    'Usage: node test/simulator/main.ts --key-id ID --key-secret SECRET [flags]',
    ...lines,
  ].join('\n');
}

/** Reads the command line; every problem is found, not only the first. */
export function readFlags(args: readonly string[]): Flags {
  const problems: string[] = [];
  const given = collect(args, problems);
  if (given.has('--help')) return { help: true };
  const keys = readKeys(given, problems);
  const port = readNumber('--port', given, problems, 65_535);
  const latencyMs = readNumber('--latency-ms', given, problems, 3_600_000);
  const rate = readRate(given, problems);
  const pipes = readList('--pipe', /^[^/]+\/[^/]+\/[^/]+$/, 'organization/service/pipe', {
    given,
    problems,
  });
  const organizations = readList('--organization', UUID, 'a uuid', { given, problems });
  const activities = readList('--activity', /^[^/]+\/.+$/, 'organization/activity', {
    given,
    problems,
  });
  const tls = readTls(given, problems);
  if (problems.length > 0) return { problems };
  return {
    quiet: given.has('--quiet'),
    options: {
      keys,
      pipes,
      ...(organizations.length > 0 && { organizations }),
      ...(activities.length > 0 && { activities }),
      anyPipe: given.has('--any-pipe') || pipes.length === 0,
      control: given.has('--control'),
      ...(port !== undefined && { port }),
      ...(latencyMs !== undefined && { latencyMs }),
      ...(rate && { rate }),
      ...(tls && { tls }),
    },
  };
}

type Given = ReadonlyMap<string, readonly string[]>;

function collect(args: readonly string[], problems: string[]): Given {
  const given = new Map<string, string[]>();
  for (let index = 0; index < args.length; index += 1) {
    const [name = '', ...rest] = (args[index] ?? '').split('=');
    const flag = Object.hasOwn(FLAGS, name) ? FLAGS[name] : undefined;
    if (!flag) {
      problems.push(`${name}: no such flag`);
      continue;
    }
    const values = given.get(name) ?? [];
    given.set(name, values);
    if (flag.value === undefined) {
      if (rest.length > 0) problems.push(`${name}: takes no value`);
      continue;
    }
    const inline = rest.length > 0 ? rest.join('=') : undefined;
    const next = args[index + 1];
    if (inline !== undefined) values.push(inline);
    else if (next !== undefined && !next.startsWith('--')) {
      values.push(next);
      index += 1;
    } else problems.push(`${name}: give it a value, ${flag.value}`);
  }
  return given;
}

function readKeys(given: Given, problems: string[]): Record<string, string> {
  const ids = given.get('--key-id') ?? [];
  const secrets = given.get('--key-secret') ?? [];
  if (ids.length === 0)
    problems.push('--key-id: give the id of the API key that callers use, such as --key-id demo');
  if (secrets.length === 0)
    problems.push('--key-secret: give the secret of that key, such as --key-secret demo-secret');
  if (ids.length > 0 && secrets.length > 0 && ids.length !== secrets.length) {
    problems.push(
      `--key-secret: there are ${ids.length} key ids and ${secrets.length} secrets; give each id its secret`,
    );
  }
  return Object.fromEntries(ids.map((id, index) => [id, secrets[index] ?? '']));
}

function readNumber(
  name: string,
  given: Given,
  problems: string[],
  highest: number,
): number | undefined {
  const text = given.get(name)?.at(-1);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= highest) return value;
  problems.push(`${name}: ${JSON.stringify(text)} is not a whole number from 0 to ${highest}`);
  return undefined;
}

function readRate(given: Given, problems: string[]): Rate | undefined {
  const text = given.get('--rate')?.at(-1);
  const header = given.get('--rate-header')?.at(-1);
  if (header !== undefined && !RATE_HEADERS.some((known) => known === header)) {
    problems.push(`--rate-header: ${JSON.stringify(header)} is none of ${RATE_HEADERS.join(', ')}`);
  }
  if (text === undefined) return undefined;
  const [, calls, seconds] = /^(\d+)\/(\d+(?:\.\d+)?)s$/.exec(text) ?? [];
  if (Number(calls) > 0 && Number(seconds) > 0) {
    return {
      calls: Number(calls),
      perMs: Number(seconds) * 1000,
      ...(header !== undefined && { header: header as RateHeader }),
    };
  }
  problems.push(`--rate: ${JSON.stringify(text)} is not calls over seconds, such as 10/10s`);
  return undefined;
}

function readList(
  name: string,
  shape: RegExp,
  meant: string,
  { given, problems }: { given: Given; problems: string[] },
): string[] {
  const values = [...(given.get(name) ?? [])];
  for (const value of values) {
    if (!shape.test(value)) problems.push(`${name}: ${JSON.stringify(value)} is not ${meant}`);
  }
  return values;
}

function readTls(given: Given, problems: string[]): { cert: string; key: string } | undefined {
  const [certFile, keyFile] = ['--tls-cert', '--tls-key'].map((name) => given.get(name)?.at(-1));
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined)
    problems.push('--tls-cert: give the certificate that belongs to --tls-key');
  if (keyFile === undefined)
    problems.push('--tls-key: give the private key that belongs to --tls-cert');
  const cert = readText('--tls-cert', certFile, problems);
  const key = readText('--tls-key', keyFile, problems);
  return cert === undefined || key === undefined ? undefined : { cert, key };
}

function readText(name: string, file: string | undefined, problems: string[]): string | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    problems.push(
      `${name}: cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`,
    );
    return undefined;
  }
}
