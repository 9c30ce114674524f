import { expect, test } from 'vitest';
import { cacheFolder } from '../controlplane/binaries.ts';

test('what is kept for the next time is where XDG_CACHE_HOME says, unless that is a relative path', () => {
  const HOME = '/home/somebody';
  expect(cacheFolder({ HOME, XDG_CACHE_HOME: '/var/cache' })).toBe(
    '/var/cache/pipewright/controlplane',
  );
  for (const XDG_CACHE_HOME of ['', 'cache', './cache'])
    expect(cacheFolder({ HOME, XDG_CACHE_HOME })).toBe(cacheFolder({ HOME }));
  expect(cacheFolder({ HOME })).toMatch(/^\/home\/somebody\/.*\/pipewright\/controlplane$/);
});
