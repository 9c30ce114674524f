import { describe, expect, test } from 'vitest';
import { readAnswer } from '../../src/api/reply/envelope.ts';
import { judge } from '../../src/api/reply/verdict.ts';

const context = {
  url: 'https://api.example/v1',
  nowMs: 0,
  mask: (text: string) => text.replaceAll('canary', '***'),
};

function textOf(body: string, contentType = 'application/json', httpStatus = 400) {
  const headers = { 'content-type': contentType };
  return readAnswer({ httpStatus, headers, body: { text: body } }, context);
}

describe('the reason of a refusal is found', () => {
  test.for<[string, unknown, string | undefined]>([
    ['in error', { error: 'why', message: 'other' }, 'why'],
    ['in error.message', { error: { code: 7, message: 'why' }, message: 'other' }, 'why'],
    ['in message', { message: 'why', detail: 'other' }, 'why'],
    ['in detail', { type: 'about:blank', title: 'Bad', detail: 'why' }, 'why'],
    ['in title', { type: 'about:blank', title: 'why' }, 'why'],
    ['in the first of errors', { errors: ['why', 'other'] }, 'why'],
    ['in the message of the first of errors', { errors: [{ field: 'x', message: 'why' }] }, 'why'],
    ['where the first places are empty', { error: ' ', message: '', detail: 'why' }, 'why'],
    ['nowhere in numbers and lists', { error: 7, message: ['x'], errors: {} }, undefined],
    ['without what it echoes of the key', { message: 'no canary here' }, 'no *** here'],
    ['in one line', { detail: 'a\n\u202eb' }, 'a b'],
  ])('%s', ([, body, text]) => {
    expect(textOf(JSON.stringify(body)).error).toBe(text);
  });

  test.for<[string, string, string, string | undefined]>([
    ['in plain text', 'too many items\n', 'text/plain; charset=utf-8', 'too many items'],
    ['not in a page', '<html>504</html>', 'text/html', undefined],
    ['not in a page that is sent as plain text', '\n<!doctype html>', 'text/plain', undefined],
    ['not in anything that says nothing of itself', 'why', 'application/octet-stream', undefined],
  ])('%s', ([, body, contentType, text]) => {
    expect(textOf(body, contentType).error).toBe(text);
  });
});

describe('a success', () => {
  const judged = (body: object) =>
    judge(textOf(JSON.stringify(body), 'application/json', 200), { write: true, of: 'pipe' });

  test('may have a message', () => {
    expect(judged({ result: {}, message: 'OK', title: 'x' })).toMatchObject({ ok: true });
  });

  test.for([{ error: 'e' }, { error: { message: 'e' } }, { error: { code: 1 } }])(
    'is none with %j',
    (body) => {
      expect(judged({ result: {}, ...body })).toMatchObject({
        ok: false,
        message: expect.stringContaining('carries an error'),
      });
    },
  );
});
