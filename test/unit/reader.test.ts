import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { readerAt } from '../support/reader.ts';

const reader = readerAt({
  folder: tmpdir(),
  env: { PATH: process.env['PATH'] ?? '', ONLY: 'this' },
  here: { ingest: 'test-7' },
});
const block = (script: string, shown?: string) => ({
  page: 'page.md',
  line: 3,
  section: 'Do it',
  script,
  ...(shown !== undefined && { shown }),
});

test('names of the page are those of the test when it runs, and of the page again in the output', async () => {
  const { stdout } = await reader.follow(block('echo ingest', 'ingest'));
  expect(stdout).toBe('test-7\n');
});

test('another output than the page shows is an error, on standard error too', async () => {
  const said = 'page.md:3 shows "b", which is not so in\na';
  await expect(reader.follow(block('echo a', 'b'))).rejects.toThrow(said);
  await expect(reader.follow(block('echo a >&2', 'b'))).rejects.toThrow(said);
});

test('so is another exit code than expected, of any command of the block', async () => {
  await expect(reader.follow(block('false\necho a'))).rejects.toThrow('page.md:3 ended with 1');
  await expect(reader.follow(block('true'), [2])).rejects.toThrow('page.md:3 ended with 0');
  expect(await reader.follow(block('exit 2'), [2])).toMatchObject({ code: 2 });
});

test('nothing of the machine of the test is in the environment', async () => {
  expect(await reader.succeed('echo "$ONLY:$HOME"')).toBe('this:\n');
});
