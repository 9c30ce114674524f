import { succeed } from './run.ts';
import { isRoot, stageImage, WARMED } from './staged-image.ts';

/**
 * `node test/packaging/start-by-user.ts`, as root after `npm run build`: the processor time that
 * the image's `--version` takes by the user whose cache it holds, by another one, and without the
 * cache. The median of 21, in turns, so that the load of the machine meets all three alike.
 */
const WAYS = {
  'user 65532': { user: '65532:65532', env: WARMED },
  'another user': { user: '1000680000:0', env: WARMED },
  'no cache': { user: '65532:65532', env: {} },
} as const;

if (!isRoot) throw new Error('changing the user needs root');
const image = await stageImage();
const spent = new Map<string, number[]>();
try {
  for (let round = 0; round < 21; round += 1)
    for (const [way, { user, env }] of Object.entries(WAYS)) {
      const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
      const chroot = ['chroot', `--userspec=${user}`, image.root, '/usr/local/bin/node'];
      const script = 'TIMEFORMAT="%U %S"; { time "$@" >/dev/null; } 2>&1';
      const started = ['env', '-i', ...variables, 'PATH=/usr/sbin:/usr/bin:/sbin:/bin', ...chroot];
      const args = ['-c', script, '_', ...started, '/app/entrypoint.js', '--version'];
      const [inUser = NaN, inSystem = NaN] = (await succeed('bash', args)).split(' ').map(Number);
      spent.set(way, [...(spent.get(way) ?? []), 1000 * (inUser + inSystem)]);
    }
} finally {
  await image.remove();
}
for (const [way, times] of spent)
  console.log(`${way}: ${Math.round(times.sort((a, b) => a - b)[10] ?? NaN)} ms`);
