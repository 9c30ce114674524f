import { type Found, GIT_TOOLS, shortNameOf } from '../objects.ts';

export type Verb = 'retry' | 'suspend' | 'resume';

/** Why what was asked for may not be what comes. */
export function warnings(verb: Verb, found: readonly Found[]): readonly string[] {
  if (verb === 'retry') {
    const suspended = found.filter(
      ({ object }) => (object.spec as { readonly suspend?: boolean }).suspend === true,
    );
    return suspended.map((one) => `warning: ${shortNameOf(one)} is suspended; resume it first`);
  }
  return Object.entries(GIT_TOOLS).flatMap(([tool, marks]) => {
    const managed = found.filter(({ object: { metadata } }) =>
      marks.some((mark) => mark in { ...metadata.labels, ...metadata.annotations }),
    );
    if (managed.length === 0) return [];
    const names = managed.map(shortNameOf).join(', ');
    return [`warning: ${tool} manages ${names} and will undo this; set spec.suspend in Git too`];
  });
}
