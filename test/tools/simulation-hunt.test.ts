import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { EXPECTED } from '../simulation/expected.ts';
import { livesOf, nameOf, rulesOf } from '../simulation/hunt/lives.ts';
import { SOURCES } from '../simulation/hunt/options.ts';
import { withPlanted } from '../simulation/hunt/planted.ts';
import { play } from '../simulation/hunt/play.ts';
import { optionsOf } from '../simulation/hunt/plot.ts';
import { shrink } from '../simulation/hunt/shrink.ts';
import { loadProduct } from '../simulation/life/product.ts';
import { PLANTED, type Planted } from '../simulation/planted.ts';

const MAIN = fileURLToPath(new URL('../simulation/hunt/main.ts', import.meta.url));
/** Where a process of the operator begins. */
const START = 'const host = cluster.server.host;';
/** Lives that found a fault which is mended since. */
const MENDED = [23, 45, 63, 82, 93, 134, 146, 163, 228, 473, 965, 1132, 2584, 6679, 7468];
const run = promisify(execFile);
/** They do not wait, they work: on a busy machine for as long as it takes. */
const PATIENCE = { timeout: 300_000 };

/** What the command prints, and how it ends. */
async function command(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const options = { env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 };
  try {
    const { stdout } = await run(process.execPath, [MAIN, ...args], options);
    return { code: 0, stdout, stderr: '' };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
}

/** A planted fault by its name. */
function plantedOf(name: string): Planted {
  const planted = PLANTED.find((one) => one.name === name);
  if (!planted) throw new Error(`${name} is no planted fault`);
  return planted;
}

describe('a life', () => {
  const SEED = 39;

  it('is the same to the last byte in any process, time zone and language', async () => {
    const [one, other] = await Promise.all([
      command(['--seed', String(SEED), '--log'], { TZ: 'UTC', LANG: 'C', LC_ALL: 'C' }),
      command(['--seed', String(SEED), '--log'], {
        TZ: 'Pacific/Chatham',
        LANG: 'tr_TR.UTF-8',
        LC_ALL: 'tr_TR.UTF-8',
      }),
    ]);
    expect(one.stdout.length).toBeGreaterThan(10_000);
    expect(other.stdout).toBe(one.stdout);
  });

  it('is the same whatever was lived before it in the process', async () => {
    const product = await loadProduct(SOURCES);
    const digestOf = async (seed: number): Promise<string | undefined> =>
      (await play({ seed }, { product, digest: true })).digest;
    const first = await digestOf(SEED);
    expect(await digestOf(SEED + 1)).not.toBe(first);
    expect(await digestOf(SEED)).toBe(first);
    const { stdout } = await command(['--seed', String(SEED), '--log']);
    expect(stdout).toContain(`sha256 ${first}`);
  });
});

describe('the product', PATIENCE, () => {
  it('is expected to break nothing', () => {
    expect(EXPECTED).toEqual([]);
  });

  it('breaks nothing in lives that have shown a fault before', async () => {
    const lives = await livesOf(MENDED.map((seed) => ({ seed })));
    for (const seed of MENDED)
      expect(rulesOf(lives.get(nameOf({ seed }))), `seed ${seed}`).toEqual([]);
  });
});

describe('a story', PATIENCE, () => {
  it('is shorter than its life and still breaks the same', async () => {
    const planted = plantedOf('fetched-activity-ignores-edit');
    const { rule, seed } = planted;
    const { violation, without, lines } = await withPlanted(planted, async (sources) =>
      shrink({ seed }, rule, await loadProduct(sources)),
    );
    expect(violation.rule).toBe(rule);
    expect(without.size).toBeGreaterThan(0);
    expect(lines.length).toBeGreaterThan(0);
    expect(optionsOf({ seed }).world.objects.some(({ id }) => without.has(id))).toBe(true);
  });
});

describe('the command', PATIENCE, () => {
  it('ends with 0 where nothing broke', async () => {
    expect((await command(['--from', '1', '--lives', '1'])).code).toBe(0);
  });

  it('ends with 1 and a story where a copy of the product breaks what nobody expects', async () => {
    const planted = plantedOf('request-hash-without-base-url');
    await withPlanted(planted, async (sources) => {
      const args = ['--sources', sources, '--from', String(planted.seed), '--lives', '1'];
      const { code, stdout } = await command(args);
      expect(code).toBe(1);
      expect(stdout).toContain(`Seed ${planted.seed} breaks ${planted.rule}`);
      expect(stdout).toContain(
        `npm run hunt -- --seed ${planted.seed} --sources ${sources} --only "${planted.rule}"`,
      );
      expect((await command([...args, '--only', planted.rule])).code).toBe(1);
      expect((await command([...args, '--only', 'key leaked'])).code).toBe(0);
    });
  });

  it.each([
    ['ends its worker', 'process.exit(0);', 'a worker ended with code 0 in the life of seed'],
    ['throws when it is started', "throw new Error('thrown on purpose');", 'thrown on purpose'],
    [
      'goes round and round',
      'const spin = () => clock.at(0, spin); spin();',
      'something goes round and round',
    ],
  ])('does not end with 0 where a copy of the product %s', async (_, line, says) => {
    const planted = {
      name: 'lives-no-life',
      file: 'process.ts',
      from: START,
      to: `${START}\n  ${line}`,
      harm: '',
    };
    const { code, stdout, stderr } = await withPlanted(
      { ...planted, rule: '', seed: 0 },
      (sources) => command(['--sources', sources, '--from', '1', '--lives', '2']),
    );
    expect(code).not.toBe(0);
    expect(stdout + stderr).toContain(says);
  });

  it('says that nothing is known where no life was lived', async () => {
    const { code, stdout } = await command(['--from', '1', '--seconds', '0']);
    expect([code, stdout.includes('No life was lived')]).toEqual([1, true]);
  });

  it.each([
    [['--lives', 'many'], '--lives takes a whole number from 0 on, not "many"'],
    [['--seed', '-1'], '--seed'],
    [['--log'], '--log tells every event of one life: say which with --seed N'],
    [['--nonsense'], "Unknown option '--nonsense'"],
  ])('refuses %j and says why', async (args, text) => {
    const { code, stderr } = await command(args);
    expect(code).toBe(2);
    expect(stderr).toContain(text);
  });
});
