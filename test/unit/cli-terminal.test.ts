import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { processTerminal } from '../../src/cli/terminal.ts';

const EVIL = 'a\nforged\r\u001b[2J\u001b[31m\u009b1mb\u202ec\u2028d';
const CLEAN = 'a forged  [2J [31m 1mb c d';

let written = '';
beforeEach(() => {
  written = '';
  const write = (chunk: string | Uint8Array): boolean => {
    written += String(chunk);
    return true;
  };
  vi.spyOn(process.stdout, 'write').mockImplementation(write);
  vi.spyOn(process.stderr, 'write').mockImplementation(write);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

test('what others have written is part of one line, and steers nothing', () => {
  const terminal = processTerminal();
  terminal.print(EVIL);
  terminal.tell(EVIL);
  expect(written).toBe(`${CLEAN}\n${CLEAN}\n`);
});

test('only our own colours are colours', () => {
  vi.stubEnv('FORCE_COLOR', '1');
  vi.stubEnv('NO_COLOR', undefined);
  const terminal = processTerminal();
  terminal.print(`${terminal.styled('red', EVIL)} ${EVIL}`);
  expect(written).toBe(`\u001b[31m${CLEAN}\u001b[39m ${CLEAN}\n`);
});

test('a screen is wiped, and has the given lines', () => {
  processTerminal().screen(['one', EVIL]);
  expect(written).toBe(`\u001b[H\u001b[2Jone\n${CLEAN}\n`);
});

test('a document keeps its lines, and what it means', () => {
  const data = { text: `${EVIL}\u{e0041}` };
  processTerminal().document(JSON.stringify(data, undefined, 2));
  expect(JSON.parse(written)).toEqual(data);
  expect(written.match(/[^\P{Cc}\n]|[\p{Cf}\u2028]/gu)).toBeNull();
});
