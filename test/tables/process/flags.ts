import { expect } from 'vitest';
import { parseConfig } from '../../../src/config/config.ts';

type Environment = Readonly<Record<string, string>>;

export const URL_FLAG = '--api-url=https://api.example.com';

/** Every flag of the contract, in the order of the help. */
const NAMES = `api-url api-allow-http api-ca-file api-rate api-rate-total api-in-flight api-timeout
  kubeconfig context namespaces selector secret-selector plan-only leader-elect
  leader-elect-namespace leader-elect-name cleanup-deadline listen log-level`;
export const FLAGS: readonly string[] = NAMES.split(/\s+/).map((name) => `--${name}`);

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
