import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { endpoint } from '../../support/organizations.ts';
import { newPipe } from './tenants-work.ts';
import { type Answer, pathOf, pipeSpec, type Tenant } from './tenants-world.ts';

/** A tenant, whom it attacks, and the port of the operator's probes. */
export interface Attacker {
  readonly self: Tenant;
  readonly victim: Tenant;
  readonly port: number;
}

export interface Attack {
  readonly what: string;
  /** Resolves to what it was allowed to do and should not have been; leaves its objects behind. */
  run(attacker: Attacker, round: number): Promise<readonly string[]>;
}

/** So begins the name of each object whose calls hang. */
export const HANGING = 'hang-';
const VICTIMS_PIPES = ['orders', 'clicks', 'stock', 'mails'];

function allowed(what: string, { status }: Answer, refused: readonly number[] = [403]): string[] {
  return refused.includes(status) ? [] : [`${what}: HTTP ${status}`];
}

/** Objects for what is the victim's, older than the victim's own, that never make a call. */
export async function liesInWait({
  self,
  victim,
}: Pick<Attacker, 'self' | 'victim'>): Promise<void> {
  const { organization } = victim;
  const pipes = [...VICTIMS_PIPES, ...Array.from({ length: 40 }, (_, nth) => newPipe(nth + 1))];
  const ways: readonly object[] = [
    { credentialsSecretRef: { name: 'no-such-secret' } },
    { suspend: true },
    { mode: 'Plan' },
    {},
  ];
  for (const [nth, pipe] of pipes.entries())
    await self.put(
      'pipesettings',
      `wait-${pipe}`,
      pipeSpec(organization, pipe, ways[nth % ways.length]),
    );
  const privateEndpoints = ['link-0', 'link-1', 'link-2'].map((id) => endpoint(id));
  for (const [nth, way] of ways.entries())
    await self.put('organizations', `wait-${nth}`, {
      organizationId: organization,
      credentialsSecretRef: { name: 'key' },
      privateEndpoints,
      adoptPrivateEndpoints: true,
      ...way,
    });
}

export const ATTACKS: readonly Attack[] = [
  {
    what: 'writes the pipes of the other with its own key',
    async run({ self, victim }, round) {
      for (const pipe of VICTIMS_PIPES) {
        const settings = { streaming_max_insert_wait_ms: 30_000 + (round % 1000) };
        await self.put(
          'pipesettings',
          `take-${pipe}`,
          pipeSpec(victim.organization, pipe, { settings }),
        );
      }
      return [];
    },
  },
  {
    what: 'lists, adopts and removes the endpoints of the other, and deletes what lists them',
    async run({ self, victim }, round) {
      const name = `grab-${round % 3}`;
      const spec = {
        organizationId: victim.organization,
        credentialsSecretRef: { name: 'key' },
        name: 'taken over',
        privateEndpoints: round % 2 === 0 ? [] : [endpoint('link-1')],
        adoptPrivateEndpoints: true,
        maxPrivateEndpointRemovals: 100,
        deletionPolicy: 'RemovePrivateEndpoints',
      };
      await self.put('organizations', name, spec);
      if (round % 5 === 0) await self.remove('organizations', name);
      return [];
    },
  },
  {
    what: 'makes keys up, and flips them',
    async run({ self }, round) {
      const flip = async (name: string): Promise<void> => {
        await self.secret(name, { keyId: `id-${randomUUID()}`, keySecret: `made-up-${round}` });
        const spec = pipeSpec(self.organization, name, { credentialsSecretRef: { name } });
        await self.put('pipesettings', name, spec);
      };
      await Promise.all(Array.from({ length: 40 }, (_, nth) => flip(`made-up-${nth}`)));
      return [];
    },
  },
  {
    what: 'has Secrets that are no keys',
    async run({ self }, round) {
      const name = `odd-${round % 4}`;
      const keySecret = ['x'.repeat(300_000), '\u0000', '', 'ä'.repeat(5_000)][round % 4] ?? '';
      await self.secret(name, { keyId: 'odd', keySecret });
      const spec = { credentialsSecretRef: { name } };
      await self.put('pipesettings', name, pipeSpec(self.organization, name, spec));
      return [];
    },
  },
  {
    what: 'has many objects whose calls hang',
    async run({ self }, round) {
      for (let nth = 0; nth < 30; nth += 1) {
        const pipe = `${HANGING}${nth}`;
        const more = {
          credentialsSecretRef: { name: 'slow' },
          settings: { streaming_max_insert_wait_ms: 500 + (round % 1000) },
        };
        await self.put('pipesettings', pipe, pipeSpec(self.organization, pipe, more));
      }
      return [];
    },
  },
  {
    what: 'makes and deletes many objects, and asks for an attempt of each',
    async run({ self, victim }, round) {
      const at = pathOf(self.namespace, 'pipesettings');
      const annotations = { 'pipewright.dev/reconcile-requested-at': `${round}` };
      for (let nth = 0; nth < 20; nth += 1) {
        const name = `crowd-${nth}`;
        await self.put('pipesettings', name, pipeSpec(victim.organization, `crowd-${nth}`, {}));
        await self.ask('PATCH', `${at}/${name}`, { metadata: { annotations } });
      }
      for (let nth = 0; nth < 20; nth += 2) await self.remove('pipesettings', `crowd-${nth}`);
      return [];
    },
  },
  {
    what: 'reaches for the objects, Secrets and statuses of the other, and for its own statuses',
    async run({ self, victim }) {
      const theirs = pathOf(victim.namespace, 'pipesettings', 'orders');
      const own = `${pathOf(self.namespace, 'pipesettings', 'orders')}/status`;
      const verified = { time: '2026-01-01T00:00:00Z', apiHash: 'sha256:0' };
      const secret = `/api/v1/namespaces/${victim.namespace}/secrets/key`;
      return [
        ...allowed('it read an object of the other', await self.ask('GET', theirs)),
        ...allowed('it read a Secret of the other', await self.ask('GET', secret)),
        ...allowed(
          'it changed an object of the other',
          await self.ask('PATCH', theirs, { spec: { suspend: true } }),
        ),
        ...allowed('it deleted an object of the other', await self.ask('DELETE', theirs)),
        ...allowed('it wrote a status', await self.ask('PATCH', own, { status: { verified } })),
      ];
    },
  },
  {
    what: 'names what cannot be a part of a path, and a Secret elsewhere',
    async run({ self, victim }) {
      const spec = pipeSpec(self.organization, `../${victim.organization}/x`);
      const path = await self.put('pipesettings', 'dots', spec);
      const name = `${victim.namespace}/key`;
      const elsewhere = await self.put(
        'pipesettings',
        'elsewhere',
        pipeSpec(self.organization, 'elsewhere', { credentialsSecretRef: { name } }),
      );
      const namespace = { credentialsSecretRef: { name: 'key', namespace: victim.namespace } };
      await self.put('pipesettings', 'further', pipeSpec(self.organization, 'further', namespace));
      return [
        ...allowed('a path was taken', path, [400, 422]),
        ...allowed('a Secret elsewhere was taken', elsewhere, [400, 422]),
      ];
    },
  },
  {
    what: 'opens connections to the probes and says nothing, or half of something',
    async run({ port }, round) {
      const sockets = Array.from({ length: 150 }, () => openTo(port));
      for (const socket of sockets.filter((_, nth) => nth % 2 === round % 2))
        socket.write('GET /livez HTTP/1.1\r\nhost: x\r\nx-half: ');
      // Held for as long as it is to be a hindrance.
      await pause(500);
      for (const socket of sockets) socket.destroy();
      return [];
    },
  },
];

/** One that the other end may close as it likes. */
function openTo(port: number): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => socket.destroy());
  return socket;
}
