import type { Mutation } from './mutation.ts';
import { API } from './rules/api.ts';
import { CONTROLLER } from './rules/controller.ts';
import { KINDS } from './rules/kinds.ts';
import { KUBE } from './rules/kube.ts';
import { ORGANIZATION } from './rules/organization.ts';
import { PROCESS } from './rules/process.ts';

/** Every rule, and how it is broken. */
export const MUTATIONS: readonly Mutation[] = [
  ...API,
  ...CONTROLLER,
  ...KUBE,
  ...KINDS,
  ...ORGANIZATION,
  ...PROCESS,
];
