import { describe, expect, it } from 'vitest';
import { KEY, organization, ready } from '../simulation/by-hand/objects.ts';
import { Draw } from '../simulation/engine/draw.ts';
import { Needles } from '../simulation/invariants/needles.ts';
import { isUsable, keyIdText, secretText, unusableSecret } from '../simulation/life/canaries.ts';
import { shownRequestId, withKey } from '../simulation/management/key-shown.ts';

const draws = Array.from({ length: 400 }, (_, index) => new Draw(`keys ${index}`));
const PLAIN =
  'The API refused the request (HTTP 400). Nothing of a key is in this line, nor '.repeat(40);

describe('a key in a text', () => {
  it('is found in whatever spelling and place, whole or, of a long one, a part of it', () => {
    for (const draw of draws.slice(0, 60)) {
      const [id, secret] = [keyIdText(draw), secretText(draw)];
      const needles = new Needles();
      needles.add(id, secret);
      const pair = Buffer.from(`${id}:${secret}`);
      const begin = PLAIN.slice(0, draw.between(0, 300));
      const spelled = [
        id,
        secret,
        `Basic ${pair.toString('base64')}`,
        pair.toString('base64url'),
        encodeURIComponent(secret),
        JSON.stringify({ secret }),
        ...(secret.length >= 32 ? [secret.slice(0, 16)] : []),
        ...(/^[A-Za-z0-9]+$/.test(secret) ? [secret.toLowerCase()] : []),
      ];
      for (const text of spelled)
        expect(needles.areIn(`${begin}${text}${PLAIN}`), `${draw.seed}: ${text}`).toBe(true);
      expect(needles.areIn(PLAIN)).toBe(false);
    }
  });

  it('is told of whatever the process writes, logs, asks for or shows', async () => {
    const secret = 'canary-of-team-a';
    const texts = {
      written: `refused for ${Buffer.from(secret).toString('base64')}`,
      log: JSON.stringify({ msg: `refused for ${secret}` }),
      page: `pipewright_x{name="${secret}"} 1`,
    };
    const record = (): ReturnType<typeof organization> => organization({ name: 'o' });
    const wrote = record();
    await wrote.until(1);
    const status = ready('Rejected', 1);
    wrote.writes('one-1', KEY, {
      ...status,
      conditions: status.conditions.map((one) => ({ ...one, message: texts.written })),
    });
    expect(wrote.rulesSoFar()).toContain('key leaked');
    const logged = record();
    logged.life.tell({ what: 'log', process: 'one-1', line: texts.log });
    expect(logged.rulesSoFar()).toContain('key leaked');
    const shown = record();
    shown.life.tell({ what: 'page', process: 'one-1', text: texts.page });
    expect(shown.rulesSoFar()).toEqual(['key leaked']);
    const silent = record();
    silent.life.tell({ what: 'page', process: 'one-1', text: 'pipewright_x{name="o1"} 1' });
    expect(silent.rulesSoFar()).toEqual([]);
  });
});

describe('keys', () => {
  it('are of many lengths and alphabets, and the operator takes them all', () => {
    const secrets = draws.map(secretText);
    const ids = draws.map(keyIdText);
    expect(secrets.every((one) => isUsable(one, 'secret'))).toBe(true);
    expect(ids.every((one) => isUsable(one, 'id') && !one.includes(':'))).toBe(true);
    expect(new Set([...secrets, ...ids]).size).toBe(2 * draws.length);
    const lengths = secrets.map(({ length }) => length);
    expect(Math.min(...lengths)).toBeLessThan(10);
    expect(Math.max(...lengths)).toBe(4_096);
    expect(Math.max(...ids.map(({ length }) => length))).toBe(256);
    for (const odd of ['"', '\\', '%', '(', '[', '+', ' '])
      expect(
        secrets.some((one) => one.includes(odd)),
        odd,
      ).toBe(true);
  });

  it('that nobody can have are refused', () => {
    for (const draw of draws) expect(isUsable(unusableSecret(draw), 'secret')).toBe(false);
  });
});

describe('a reply that shows the key', () => {
  const secret = 'not-to-be-shown';
  const authorization = `Basic ${Buffer.from(`id-of-it:${secret}`).toString('base64')}`;
  const shown = (reply: object) =>
    withKey({ status: 400, headers: {}, body: JSON.stringify(reply) }, { id: 7, authorization });

  it('has it in its texts, and in the id of the request, which is shown without it', () => {
    const { body, headers = {} } = shown({ requestId: 'r1', error: 'no', status: 400 });
    const { error, requestId } = JSON.parse(body) as { error: string; requestId: string };
    expect(error).toContain(authorization);
    expect(requestId).toBe(`r1-${secret}`);
    expect(shownRequestId(requestId, headers, secret)).toBe('r1-***');
  });

  it('has it in a header where the body has no id, and is left as it is where it is no JSON', () => {
    const { headers = {} } = shown({ error: 'no' });
    expect(shownRequestId(undefined, headers, secret)).toBe('7-***');
    const odd = withKey({ status: 502, body: '<html>' }, { id: 7, authorization });
    expect(odd.body).toBe('<html>');
  });
});
