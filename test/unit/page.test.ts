import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pageBlocks } from '../support/page.ts';

function blocksOf(...lines: string[]): ReturnType<typeof pageBlocks> {
  const page = join(mkdtempSync(join(tmpdir(), 'pipewright-page-')), 'page.md');
  writeFileSync(page, lines.join('\n'));
  return pageBlocks(page).map((block) => ({ ...block, page: '' }));
}

test('a block of commands is one script, with the heading that it stands below', () => {
  expect(
    blocksOf('# Page', '## Install', '```sh', 'a \\', '  b', 'c', '```', '```yaml', 'd: e', '```'),
  ).toEqual([{ page: '', line: 3, section: 'Install', script: 'a \\\n  b\nc' }]);
});

test('below an item of a list a block is indented, and its commands are not', () => {
  expect(blocksOf('1. Do it:', '', '   ```sh', '   a', '     b', '   ```')).toMatchObject([
    { script: 'a\n  b' },
  ]);
});

test('each prompt of a console is a command, with the output below it', () => {
  expect(
    blocksOf('```console', '$ one \\', '    more', '$ two', 'out', '', 'put', '```'),
  ).toMatchObject([
    { script: 'one \\\n    more', shown: '' },
    { script: 'two', shown: 'out\n\nput' },
  ]);
});

test('only a line directly above says that a block is not run, and why', () => {
  const says = '*Not run by our tests: needs Terraform.*';
  const block = ['```sh', 'a', '```'];
  const blocks = blocksOf(says, ...block, '', ...block, says, '', ...block);
  expect(blocks.map(({ notRun }) => notRun)).toEqual(['Terraform', undefined, undefined]);
});

test('a fence that is never closed is an error, as all below it would be lost', () => {
  expect(() => blocksOf('```sh', 'a')).toThrow('the fence of line 1 is never closed');
});

test.each(['~~~sh', '```sh title="x"', '``` sh'])(
  'a fence that would not be seen is an error: %s',
  (fence) => {
    expect(() => blocksOf(fence, 'a', '```')).toThrow('a fence is three backticks and one word');
  },
);
