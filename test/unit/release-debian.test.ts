import { chmod, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { DEBIAN } from '../release/image/base.ts';
import { fetchDebian } from '../release/image/debian.ts';
import { temporaryFolder } from '../support/folder.ts';

/** What fetching says where apt downloads nothing, and knows this of each package. */
async function refusal(known: string): Promise<string> {
  const folder = await temporaryFolder();
  const programs = {
    'apt-get': 'echo "E: Unable to locate it" >&2; exit 100',
    'apt-cache': `printf '${known}'`,
  };
  for (const [name, script] of Object.entries(programs)) {
    await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(folder, name), 0o755);
  }
  vi.stubEnv('PATH', folder + delimiter + process.env['PATH']);
  onTestFinished(() => void vi.unstubAllEnvs());
  return fetchDebian(join(folder, 'downloads')).then(() => '', String);
}

test.each([
  ['nothing', ''],
  ['what is installed', 'Version: 2.36-9+deb12u13\\n'],
  ['that very one', `Version: ${DEBIAN[0]?.version}\\nSHA256: abc\\n`],
])('where apt cannot fetch a package and knows %s of it, that is said', async (_, known) => {
  const said = await refusal(known);
  expect(said).toContain('\n  E: Unable to locate it\n');
  expect(said).toContain('\nNone of its sources gave it. Are those of Debian 12');
  expect(said).not.toContain('undefined');
});

test('a newer package is named with its hash', async () => {
  expect(await refusal('Version: 9.9\\nSHA256: abc\\n')).toContain(
    '\nIt has 9.9, with the SHA256 abc. To take that one, put both into base.ts.\n',
  );
});
