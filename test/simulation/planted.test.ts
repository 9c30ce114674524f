import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { PLANTED } from './planted.ts';

const HUNT = fileURLToPath(new URL('hunt/main.ts', import.meta.url));

/** That the oracles see what is broken: each fault in a copy of the product. */
describe('planted faults', () => {
  it.each(PLANTED)('are found: $name', ({ name }) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [HUNT, '--planted', name], {
      encoding: 'utf8',
    });
    expect(status, `${stdout}${stderr}`).toBe(0);
  });
});
