import type { Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { waitFor } from '../controlplane/client.ts';
import { asAdmin, createOrReplace } from '../support/cluster.ts';
import { answerText, type RawRequest, startRawServer } from '../support/raw-server.ts';
import { openScene, type Scene } from '../support/scene.ts';
import type { Pset } from '../support/scene-objects.ts';
import { type SecretSample, secretSamples, traceFinder } from '../support/secret-values.ts';

const KEY_ID = 'the-id-of-every-key';

/** Answers that say the key back, in all places that get into a status or a log. */
const ANSWERS: readonly ((told: string, socket: Socket) => void)[] = [
  ...[400, 401, 403, 404, 409, 418, 429, 500].map((status) => (told: string, socket: Socket) => {
    const body = JSON.stringify({ status, error: `no: ${told}`, requestId: told });
    socket.write(answerText(status, body, { 'x-request-id': encodeURIComponent(told) }));
  }),
  (told, socket) => {
    const location = `https://${encodeURIComponent(told)}.test/${encodeURIComponent(told)}`;
    socket.write(answerText(307, '', { location }));
  },
  (told, socket) => {
    const result = { engine_max_threads: 8, [told]: told, key: btoa(told) };
    socket.write(answerText(200, JSON.stringify({ status: 200, requestId: 'r', result })));
  },
  (told, socket) => socket.write(answerText(200, told)),
  (told, socket) => socket.end(`HTTP/1.1 ${told}\r\n\r\n`),
  (_told, socket) => void socket.destroy(),
];

/** The key that a call came with, as it is and encoded. */
function toldBack({ head }: RawRequest): string {
  const encoded = /authorization: Basic (\S*)/i.exec(head)?.[1] ?? '';
  const pair = Buffer.from(encoded, 'base64').toString('latin1');
  return `${pair.slice(KEY_ID.length + 1)} ${pair} ${encoded}`;
}

/** A Secret for each, and an object that refers to it. */
async function createAll(scene: Scene, samples: readonly SecretSample[]): Promise<void> {
  for (const { name, bytes } of samples) {
    const data = { keyId: btoa(KEY_ID), keySecret: bytes.toString('base64') };
    const secret = { metadata: { name }, data };
    await createOrReplace(`/api/v1/namespaces/${scene.namespace}/secrets`, secret);
    await scene.psets.create(name, { credentialsSecretRef: { name } });
  }
}

function isDealtWith({ status }: Pset): boolean {
  return status.conditions[0]?.status !== 'Unknown';
}

/** What the contract says a key may be, once the white space around it is gone. */
function isUsable(bytes: Buffer): boolean {
  const text = bytes.toString('latin1').trim();
  const isQuoted = text.length > 1 && /^["']/.test(text) && text.at(0) === text.at(-1);
  return text.length <= 4096 && /^[ -~]+$/.test(text) && !isQuoted;
}

/** It takes a fraction of this; on a machine with other work, several times that. */
const WHOLE_MS = 240_000;

test(
  'no Secret value of any length or alphabet leaves a trace, and each has its status',
  async () => {
    const samples = secretSamples();
    const calls = new Map<string, number>();
    const server = await startRawServer((request, socket) => {
      const pipe = /^PUT \S*\/([^/ ]+)\/\S* HTTP/.exec(request.head)?.[1] ?? '';
      const before = calls.get(pipe) ?? 0;
      calls.set(pipe, before + 1);
      const nth = samples.findIndex(({ name }) => name === pipe);
      ANSWERS[(nth * 7 + before) % ANSWERS.length]?.(toldBack(request), socket);
    });
    onTestFinished(() => server.stop());
    const scene = await openScene({ apiUrl: server.url, logLevel: 'trace' });
    onTestFinished(() => scene.end());
    await createAll(scene, samples);
    const dealtWith = async (): Promise<Pset[]> => (await scene.psets.list()).filter(isDealtWith);
    await waitFor(dealtWith, {
      what: 'a status for each',
      until: ({ length }) => length === samples.length,
      timeoutMs: 120_000,
    });
    const metrics = await scene.operator().page('metrics');
    expect(await scene.operator().stop()).toBe(0);

    const objects = await scene.psets.list();
    const outcome = (name: string) => {
      const status = objects.find(({ metadata }) => metadata.name === name)?.status;
      const isCalled = (calls.get(name) ?? 0) > 0;
      const isRefused = status?.conditions[0]?.reason === 'SecretInvalid';
      return { isCalled, isRefused, isTold: status?.lastRequest !== undefined };
    };
    for (const { name, bytes } of samples) {
      const isUsed = isUsable(bytes);
      const expected = { isCalled: isUsed, isRefused: !isUsed, isTold: isUsed };
      expect(outcome(name), name).toEqual(expected);
    }
    const events = await asAdmin(
      'GET',
      `/apis/events.k8s.io/v1/namespaces/${scene.namespace}/events`,
    );
    const said = [
      metrics,
      scene.operator().output(),
      JSON.stringify(events),
      JSON.stringify(objects),
    ];
    const trace = traceFinder(said);
    for (const { name, bytes } of samples) expect(trace(bytes), name).toBeUndefined();
    expect(scene.operator().output()).not.toContain('a bug');
  },
  WHOLE_MS,
);
