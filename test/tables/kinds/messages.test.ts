import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { EVENTS } from '../../../crds/event-reasons.ts';
import { LOG_MESSAGES } from '../../../crds/log-messages.ts';
import { REASONS } from '../../../crds/reasons.ts';

const source = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('telemetry/logger.ts'))
  .map((path) => ({ path, text: readFileSync(`src/${path}`, 'utf8') }));

function found(pattern: RegExp, under = ''): string[] {
  const texts = source.filter(({ path }) => path.startsWith(under));
  return texts.flatMap(({ text }) =>
    [...text.matchAll(pattern)].map((one) => one.slice(1).join(' ')),
  );
}

test('every reason of Ready or of an event has a row in the documents, and no other', () => {
  const given = [
    ...found(/\breason: '([A-Za-z]+)'/g, 'kinds/'),
    ...found(/\[\s*'([A-Z][A-Za-z]+)'/g, 'kinds/organization/events.ts'),
    ...found(/namingAll\(own, \['([A-Za-z]+)'/g, 'kinds/'),
  ];
  const ofKinds = new Set(given.filter((reason) => !reason.startsWith('FieldValue')));
  expect(ofKinds.size).toBeGreaterThan(15);
  const known = [...Object.keys(REASONS), ...Object.keys(EVENTS)];
  expect([...ofKinds].filter((reason) => !known.includes(reason))).toEqual([]);
  expect(Object.keys(EVENTS).filter((reason) => !ofKinds.has(reason))).toEqual([]);
});

test('every log line of level warn and above has a row with its level, and no other', () => {
  const logged = found(/\blog\.(warn|error|fatal)\(\s*[^']*?'((?:[^'\\]|\\.)+)'/g);
  const listed = Object.entries(LOG_MESSAGES).map(([message, { level }]) => `${level} ${message}`);
  expect([...new Set(logged)].toSorted()).toEqual(listed.toSorted());
});

/** Values stand in the fields, which are searched for secrets; a message is not. */
test('every log line has a message that the code alone says', () => {
  const all = found(/\b(log)\.(?:trace|debug|info|warn|error|fatal)\(/g);
  const constant = found(
    /\b(log)\.(?:trace|debug|info|warn|error|fatal)\([^;]*?,\s*'(?:[^'\\]|\\.)+',?\s*\)/g,
  );
  expect(all.length).toBeGreaterThan(20);
  expect(constant.length).toBe(all.length);
});
