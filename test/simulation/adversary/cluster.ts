import { kindOf } from '../kubernetes/kinds.ts';
import type { Life } from '../life/life.ts';
import type { Act } from './act.ts';

const SECOND = 1_000;

/** What becomes of the cluster: its API server, its storage, and what the operator may do there. */
export const clusterActs: readonly Act[] = [
  {
    name: 'cut watches',
    means: 'lag',
    weight: 3,
    perform: (life, draw) => {
      life.kube.watches.cut({ broken: draw.chance(0.5) });
      return 'every watch ends';
    },
  },
  {
    name: 'lag',
    means: 'lag',
    weight: 3,
    perform: (life, draw) => {
      const what = draw.pick([2, 10, 25]);
      life.weather.lag = { id: 'lag', what, until: life.timeline.now + 120 * SECOND };
      return `for two minutes watches are up to ${what} s late`;
    },
  },
  {
    name: 'bookmarks',
    means: 'lag',
    weight: 1,
    perform: (life) => {
      life.kube.watches.bookmark();
      return 'every watch gets a bookmark';
    },
  },
  {
    name: 'compaction',
    means: 'compactions',
    weight: 2,
    perform: (life) => {
      life.kube.objects.compact();
      life.kube.watches.cut({ broken: true });
      return 'old versions are forgotten, and every watch ends';
    },
  },
  {
    name: 'server trouble',
    means: 'kube faults',
    weight: 3,
    perform: (life, draw) => {
      const what = draw.pick([500, 429, 503] as const);
      const seconds = draw.pick([1, 5, 30]);
      life.weather.kubeTrouble = {
        id: 'trouble',
        what,
        until: life.timeline.now + seconds * SECOND,
      };
      life.kubeDisturbedAt = life.timeline.now + seconds * SECOND;
      return `the API server answers everything with ${what} for ${seconds} s`;
    },
  },
  {
    name: 'slow server',
    means: 'kube faults',
    weight: 3,
    perform: (life, draw) => {
      const what = draw.pick([1, 3, 6, 12]);
      const seconds = draw.pick([10, 60, 180]);
      life.weather.kubeSlow = { id: 'slow', what, until: life.timeline.now + seconds * SECOND };
      return `for ${seconds} s the API server takes ${what} s for everything but Leases`;
    },
  },
  {
    name: 'server away',
    means: 'kube outages',
    weight: 2,
    perform: (life, draw) => {
      const seconds = draw.pick([2, 12, 90]);
      downFor(life, seconds);
      return `the API server is away for ${seconds} s`;
    },
  },
  {
    name: 'restore',
    means: 'restores',
    weight: 2,
    perform: (life, draw) => {
      const backup = life.backups.length === 0 ? undefined : draw.pick(life.backups);
      if (!backup) return undefined;
      const forwards = draw.chance(0.5);
      const { revision } = life.kube.objects;
      life.kube.objects.restore(backup.state, { forwards });
      life.kube.lists.old = undefined;
      life.kube.watches.cut({ broken: true });
      life.knowledge.forget();
      life.restored(forwards ? undefined : revision);
      downFor(life, 5);
      const minutes = Math.round((life.timeline.now - backup.at) / 60_000);
      return `the cluster's storage is restored from a backup of ${minutes} min ago${forwards ? ', and its versions go on from far above' : ', and its versions go back'}`;
    },
  },
  {
    name: 'rights',
    means: 'rights',
    weight: 6,
    perform: (life, draw) => {
      const namespace = draw.pick(life.world.namespaces);
      const seconds = draw.pick([2, 20, 180]);
      const what = draw.weighted({ lists: 50, secrets: 20, status: 15, finalizers: 10, events: 5 });
      const plural = draw.pick(['pipesettings', 'organizations']);
      const fits: Parameters<typeof life.kube.rights.deny>[0] = (asked) => {
        const here = asked.namespace === namespace || asked.namespace === '';
        if (what === 'lists')
          return here && asked.kind.plural === plural && ['list', 'watch'].includes(asked.verb);
        if (!here || asked.namespace === '') return false;
        if (what === 'secrets') return asked.kind.plural === 'secrets';
        if (what === 'status') return asked.subresource === 'status';
        if (what === 'finalizers') return asked.verb === 'patch';
        return asked.kind.plural === 'events';
      };
      const give = life.kube.rights.deny(fits);
      life.after(seconds * SECOND, give);
      life.kubeDisturbedAt = life.timeline.now + seconds * SECOND;
      if (what !== 'lists' || draw.chance(0.3)) life.kube.watches.cut({ broken: true });
      else if (draw.chance(0.8)) life.fleet.crash(draw, {});
      return `for ${seconds} s the operator may not use ${what === 'lists' ? `lists of ${plural}` : what} in ${namespace}`;
    },
  },
  {
    name: 'old lists',
    means: 'old lists',
    weight: 6,
    perform: (life, draw) => {
      const old = life.backups.at(-1);
      if (!old || life.restores.some((at) => at >= old.at)) return undefined;
      const seconds = draw.pick([5, 30]);
      life.kube.lists.old = old.state;
      life.behindUntil = life.timeline.now + seconds * SECOND;
      life.after(seconds * SECOND, () => {
        life.kube.lists.old = undefined;
      });
      life.kube.objects.compact();
      life.kube.watches.cut({ broken: true });
      if (draw.chance(0.3)) life.fleet.crash(draw, {});
      const minutes = Math.round((life.timeline.now - old.at) / 60_000);
      return `old versions are forgotten, every watch ends, and for ${seconds} s lists are answered by a server that is ${minutes} min behind`;
    },
  },
  {
    name: 'lease gone',
    means: 'lost leases',
    weight: 4,
    perform: (life) => {
      const lease = life.kube.objects.list(kindOf('leases'), '')[0];
      if (!lease) return undefined;
      life.kube.as('admin').delete(kindOf('leases'), lease.metadata.namespace, lease.metadata.name);
      return 'somebody deletes the Lease';
    },
  },
];

function downFor(life: Life, seconds: number): void {
  life.weather.kubeIsDown = true;
  life.kubeDisturbedAt = life.timeline.now + seconds * SECOND;
  life.kube.watches.cut({ broken: true });
  for (const pool of life.fleet.kubePools()) pool.breakOff();
  life.after(seconds * SECOND, () => {
    life.weather.kubeIsDown = false;
  });
}
