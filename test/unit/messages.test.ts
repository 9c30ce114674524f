import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { EVENTS } from '../../crds/event-reasons.ts';
import { LOG_MESSAGES } from '../../crds/log-messages.ts';
import { REASONS } from '../../crds/reasons.ts';

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => ({ path, text: readFileSync(`src/${path}`, 'utf8') }));

/** What `pattern` finds in the sources under this folder, each once. */
function found(folder: string, pattern: RegExp): string[] {
  const texts = sources.filter(({ path }) => path.startsWith(folder)).map(({ text }) => text);
  return [
    ...new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map(([, one = '']) => one))),
  ];
}

test('every reason that a kind gives, of Ready or of an event, has a row', () => {
  const given = [
    ...found('kinds/', /\breason: '([A-Za-z]+)'/g),
    ...found('kinds/organization/events.ts', /\[\s*'([A-Z][A-Za-z]+)'/g),
  ].filter((reason) => !reason.startsWith('FieldValue'));
  expect(given.length).toBeGreaterThan(15);
  const known = new Set([...Object.keys(REASONS), ...Object.keys(EVENTS)]);
  expect(given.filter((reason) => !known.has(reason))).toEqual([]);
  expect(Object.keys(EVENTS).filter((reason) => !given.includes(reason))).toEqual([]);
});

test('every log line of level warn and above has a row with its level, and no other', () => {
  const call = /\blog\.(warn|error|fatal)\(\s*[^']*?'((?:[^'\\]|\\.)+)'/g;
  const logged = sources
    .flatMap(({ text }) => [...text.matchAll(call)])
    .map(([, level, message]) => `${level} ${message}`);
  const listed = Object.entries(LOG_MESSAGES).map(([message, { level }]) => `${level} ${message}`);
  expect([...new Set(logged)].toSorted()).toEqual(listed.toSorted());
});

/** Values stand in the fields, which are searched for secrets; a message is not. */
test('every log line has a message that the code alone says', () => {
  const calls = sources
    .filter(({ path }) => !/logger|quiet-log/.test(path))
    .map(({ path, text }) => ({
      path,
      all: text.match(/\blog\.(?:trace|debug|info|warn|error|fatal)\(/g) ?? [],
      constant:
        text.match(
          /\blog\.(?:trace|debug|info|warn|error|fatal)\([^;]*?,\s*'(?:[^'\\]|\\.)+',?\s*\)/g,
        ) ?? [],
    }));
  expect(calls.flatMap(({ all }) => all).length).toBeGreaterThan(20);
  expect(calls.filter(({ all, constant }) => all.length !== constant.length)).toEqual([]);
});
