import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SharedText } from '../../src/kinds/engine/shared-text.ts';

test('whatever an object holds stays as it was, also where many others came before it', () => {
  const texts = new SharedText();
  for (let index = 0; index < 2500; index += 1) texts.share({ name: `pipe-${index % 1100}` });
  fc.assert(
    fc.property(fc.json(), (json) => {
      const parsed: unknown = JSON.parse(json);
      texts.share(parsed);
      expect(JSON.stringify(parsed)).toBe(JSON.stringify(JSON.parse(json)));
    }),
    { numRuns: 500 },
  );
});

test('a field whose name means something to JavaScript is a field like others', () => {
  const texts = new SharedText();
  const json = '{"__proto__":"a","constructor":["a",{"toString":"b"}],"length":1,"none":null}';
  const parsed: unknown = JSON.parse(json);
  texts.share(parsed);
  expect(JSON.stringify(parsed)).toBe(json);
});
