import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { panel, type Scenery, shortPath } from '../demo/panel.ts';
import { createInk } from '../demo/text.ts';

const scenery: Scenery = {
  rows: [
    {
      name: 'pset/orders',
      ready: 'True',
      reason: 'Applied',
      next: undefined,
      message: 'The API accepted “all” settings',
    },
    {
      name: 'porg/a-name-that-is-longer-than-any-column',
      ready: 'False',
      reason: 'NotFound',
      next: 60_000,
      message: '…',
    },
  ],
  calls: Array.from({ length: 12 }, (_, index) => ({
    seq: index + 1,
    receivedAt: index,
    method: 'PUT',
    path: '/v1/organizations/o/services/s/pipes/9e44d1a3-0c7b/settings',
    keyId: 'demo-key-1',
    text: '{"engine_max_threads":8}',
    status: 200,
    applied: true,
    connection: 1,
  })),
  callsInAll: 12,
  step: 'step 1 of 9',
  now: 0,
};

const draw = (columns: number, rows: number) =>
  panel(scenery, { columns, rows }, createInk(true)).map((line) => stripVTControlCharacters(line));

test('draws no line wider than the terminal', () => {
  for (let columns = 4; columns <= 200; columns += 1) {
    const widest = Math.max(...draw(columns, 40).map((line) => [...line].length));
    expect(widest, `${columns} columns`).toBeLessThanOrEqual(columns);
  }
});

test('shows fewer calls in a lower terminal, the latest ones, and leaves rows to the story', () => {
  expect(draw(120, 24).length).toBeLessThanOrEqual(24 - 9);
  expect(draw(120, 24).filter((line) => line.includes('PUT')).length).toBeGreaterThanOrEqual(2);
  expect(draw(120, 60).filter((line) => line.includes('PUT'))).toHaveLength(10);
});

test('says when an object is tried next, and of which pipe a call was', () => {
  const text = draw(160, 40).join('\n');
  expect(text).toMatch(/NotFound +1m/);
  expect(text).toContain('200  demo-key-1   PUT pipes/9e44d1a3… {"engine_max_threads":8}');
});

test.each([
  [
    '/v1/organizations/0b1d7c52-4f0e/services/5c2f9b7e-86a1/pipes/9e44d1a3-0c7b/settings',
    'pipes/9e44d1a3…',
  ],
  ['/v1/organizations/0b1d7c52-4f0e', 'organizations/0b1d7c52…'],
  ['/v1/organizations/0b1d7c52-4f0e/activities/3aa1f6d8-7c25', 'activities/3aa1f6d8…'],
  ['/elsewhere', '/elsewhere'],
])('says of %s what it is for', (path, short) => {
  expect(shortPath(path)).toBe(short);
});
