import { expect } from 'vitest';
import { parseConfig } from '../../../src/config/config.ts';

type Environment = Readonly<Record<string, string>>;

export const URL_FLAG = '--api-url=https://api.example.com';

/** Every flag that has a value or is true or false, with its placeholder in the help. */
export const FLAGS = {
  '--api-url': 'URL',
  '--api-allow-http': '',
  '--api-ca-file': 'FILE',
  '--api-rate': 'N/TIME',
  '--api-rate-total': 'N/TIME',
  '--api-in-flight': 'N',
  '--api-timeout': 'TIME',
  '--kubeconfig': 'FILE',
  '--context': 'NAME',
  '--namespaces': 'A,B',
  '--selector': 'SELECTOR',
  '--secret-selector': 'LABELS',
  '--plan-only': '',
  '--leader-elect': '',
  '--leader-elect-namespace': 'NAMESPACE',
  '--leader-elect-name': 'NAME',
  '--cleanup-deadline': 'TIME',
  '--listen': 'ADDRESS',
  '--log-level': 'LEVEL',
} as const;

export function parsed(argv: readonly string[], env: Environment = {}) {
  return parseConfig({ argv, env, version: '1.2.3' });
}

/** The config, with an address of the API where none is given. */
export function accepted(argv: readonly string[], env: Environment = {}) {
  const isGiven = argv.some((word) => word.startsWith('--api-url'));
  const config = parsed(isGiven ? argv : [URL_FLAG, ...argv], env);
  if (!config.ok) throw new Error(config.message);
  return config.config;
}

/** The problems that the one error lists. */
export function refused(argv: readonly string[], env: Environment = {}): string[] {
  const config = parsed(argv, env);
  expect(config).toMatchObject({ ok: false, exitCode: 2 });
  const [head, ...lines] = (config.ok ? '' : config.message).trimEnd().split('\n');
  expect(head).toMatch(/^pipewright cannot start: (a problem|\d+ problems) with its flags$/);
  return lines.map((line) => line.trim());
}
