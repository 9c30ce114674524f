import type { Mutation } from './mutation.ts';
import { API } from './rules/api.ts';
import { KUBE } from './rules/kube.ts';

/** Every rule, and how it is broken. */
export const MUTATIONS: readonly Mutation[] = [...API, ...KUBE];
