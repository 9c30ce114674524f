import type { Plugin } from 'rolldown';

const UNDICI = '\0undici';
const NOTHING = '\0nothing:';

/** What this project imports of undici, and where it stands there. */
const USED = {
  Client: 'undici/lib/dispatcher/client.js',
  Pool: 'undici/lib/dispatcher/pool.js',
  buildConnector: 'undici/lib/core/connect.js',
};

/** What nothing here comes to: who asks for it, by its path, for what, and by which names. */
const UNUSED: readonly {
  readonly by: string;
  readonly what: RegExp;
  readonly names: readonly string[];
}[] = [
  // Of client-node only a kubeconfig is read; these are for its own calls.
  {
    by: '/@kubernetes/client-node/dist/config.js',
    what: /^undici$/,
    names: ['Agent', 'ProxyAgent'],
  },
  {
    by: '/@kubernetes/client-node/dist/config.js',
    what: /^\.\/(gen\/index|middleware)\.js$/,
    names: ['createConfiguration', 'ServerConfiguration', 'setHeaderMiddleware'],
  },
  // And these for proxies, which src/kube/auth/kubeconfig.ts refuses.
  {
    by: '/@kubernetes/client-node/dist/config.js',
    what: /^(socks|socks-proxy-agent|hpagent)$/,
    names: ['SocksClient', 'SocksProxyAgent', 'HttpProxyAgent', 'HttpsProxyAgent'],
  },
  // For forms as a body.
  { by: '/undici/lib/', what: /\/web\//, names: [] },
  // Its parser of HTTP/1.1 for processors with SIMD: where that fails it takes the one for all.
  { by: '/undici/lib/', what: /\/llhttp_simd-wasm\.js$/, names: [] },
];

/**
 * Leaves out what of packages nobody comes to: the time that a program takes to start, and half of
 * the memory that it has then, go by the length of its text. What is
 * imported of undici by another name than these is an error of the build; to use what is left out
 * is an error at run time.
 */
export const usedParts: Plugin = {
  name: 'used parts',
  resolveId(id, importer = '') {
    const at = UNUSED.findIndex(({ by, what }) => importer.includes(by) && what.test(id));
    if (at >= 0) return `${NOTHING}${at}`;
    return id === 'undici' ? UNDICI : undefined;
  },
  load(id) {
    if (id.startsWith(NOTHING))
      return (UNUSED[Number(id.slice(NOTHING.length))]?.names ?? [])
        .map((name) => `export function ${name}() { throw new Error('${name} is left out'); }`)
        .concat('export {};')
        .join('\n');
    if (id !== UNDICI) return undefined;
    return [
      ...Object.entries(USED).map(
        ([name, path]) => `export { default as ${name} } from '${path}';`,
      ),
      `import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';`,
      // Of its ways to make a call, the one that a tunnel through a proxy begins with; all others go
      // out by `dispatch`.
      `import connect from 'undici/lib/api/api-connect.js';`,
      'Object.assign(Dispatcher.prototype, { connect });',
    ].join('\n');
  },
};
