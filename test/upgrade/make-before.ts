import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { COMMIT, PACKED, type Product, ROOT, sha256 } from './before.ts';

/**
 * Makes before.json.gz from the history; see the README. The bundle holds the project's own code,
 * packages are left to node_modules.
 */
async function make(): Promise<void> {
  mkdirSync(join(ROOT, 'dist'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, 'dist', 'before-'));
  try {
    const archive = execFileSync('git', ['archive', COMMIT, 'src', 'crds', 'package.json'], {
      cwd: ROOT,
      maxBuffer: 1 << 28,
    });
    execFileSync('tar', ['-x', '-C', folder], { input: archive });
    const build = await rolldown({
      input: join(folder, 'src', 'main.ts'),
      platform: 'node',
      external: (id) => !id.startsWith('.') && !isAbsolute(id),
    });
    const { output } = await build.generate({ format: 'esm', minify: true, codeSplitting: false });
    const crds = readdirSync(join(folder, 'crds')).filter((name) => name.endsWith('.yaml'));
    const product: Product = {
      bundle: output[0].code,
      crds: Object.fromEntries(
        crds.map((name) => [name, readFileSync(join(folder, 'crds', name), 'utf8')]),
      ),
    };
    writeFileSync(PACKED, gzipSync(JSON.stringify(product), { level: 9 }));
    console.log(`${PACKED}: sha256 ${sha256(readFileSync(PACKED))}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

await make();
