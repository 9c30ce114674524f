import { describe, expect, test } from 'vitest';
import { announcedIn, announcement } from '../../src/config/announcement.ts';
import { type Config, parseConfig } from '../../src/config/config.ts';

function config(...argv: string[]): Config {
  const parsed = parseConfig({ argv, env: {}, version: 'test' });
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.config;
}

describe('what a leader says of itself', () => {
  test('is read again as it was, and shards that mean the same say the same', () => {
    const flags = ['--api-url=https://api.example.com/v1/', '--namespaces=b,a', '--plan-only'];
    const said = announcement(config(...flags, '--selector=team == x,! old'), '1.2.3');
    expect(announcedIn(said)).toEqual({
      version: '1.2.3',
      namespaces: ['b', 'a'],
      selector: '!old,team=x',
      secretSelector: '',
      apiUrl: 'https://api.example.com',
      planOnly: true,
    });
    expect(said).toEqual(announcement(config(...flags, '--selector=!old, team=x'), '1.2.3'));
  });

  test('of an operator for everything is an empty list, not one empty name', () => {
    const said = announcement(config('--api-url=https://api.example.com'), '1.2.3');
    expect(announcedIn(said)).toMatchObject({ namespaces: [], selector: '', planOnly: false });
  });

  test('has no user name and password, whatever the address is made of', () => {
    const apiUrl = new URL('https://user:word@api.example.com/v1?key=word#word');
    const said = announcement({ apiUrl, namespaces: [], planOnly: false }, '1.2.3');
    expect(said['pipewright.dev/api-url']).toBe('https://api.example.com');
    expect(JSON.stringify(said)).not.toContain('word');
  });

  test('is nothing in a Lease of others', () => {
    expect(announcedIn(undefined)).toBeUndefined();
    expect(announcedIn({ 'example.com/version': '1' })).toBeUndefined();
  });

  test.each([
    ['version', '9.0.0. Run this'],
    ['version', '1.0.0\u001b[2J'],
    ['namespaces', 'a},image.repository=evil'],
    ['namespaces', 'A'],
    ['selector', 'team=x,--all'],
    ['secret-selector', 'use in (a;b)'],
  ])('is nothing where no operator can have written its %s: %j', (name, text) => {
    const apiUrl = new URL('https://api.example.com');
    const said = announcement({ apiUrl, namespaces: ['a'], planOnly: false }, '1.2.3');
    expect(announcedIn(said)).toBeDefined();
    expect(announcedIn({ ...said, [`pipewright.dev/${name}`]: text })).toBeUndefined();
  });
});
