export const ROOT = '/apis/pipewright.dev/v1alpha1/';

/** The kinds whose versions are followed. */
export const PLURALS: Readonly<Record<string, string>> = {
  PipeSettings: 'pipesettings',
  Organization: 'organizations',
  Activity: 'activities',
};

/** Whether what is called so in facts is of the collection of this path. */
export function inCollection(route: string): (key: string) => boolean {
  const plural = route.slice(route.lastIndexOf('/') + 1);
  const namespace = /\/namespaces\/([^/]+)\//.exec(route)?.[1];
  return (key) => {
    const [kind, where] = key.split('/');
    return kind === plural && (namespace === undefined || where === namespace);
  };
}

/** As `keyOf` calls the object that a path of the API server names, its status too. */
export function nameOf(path: string): string {
  const [, namespace, plural, name] =
    /\/namespaces\/([^/]+)\/([^/?]+)\/([^/?]+?)(?:\/status)?$/.exec(path) ?? [];
  return `${plural}/${namespace}/${name}`;
}

export function isWatch(path: string): boolean {
  return path.includes('watch=true');
}
