import type { Mutation } from './mutation.ts';
import { API } from './rules/api.ts';
import { CALLS_OF_KINDS } from './rules/calls.ts';
import { CONTROLLER } from './rules/controller.ts';
import { KINDS } from './rules/kinds.ts';
import { KUBE } from './rules/kube.ts';
import { LEASES } from './rules/lease.ts';
import { PLUGIN } from './rules/plugin.ts';
import { PROCESS } from './rules/process.ts';

/** Every rule, and how it is broken. */
export const MUTATIONS: readonly Mutation[] = [
  ...API,
  ...CONTROLLER,
  ...KUBE,
  ...LEASES,
  ...CALLS_OF_KINDS,
  ...KINDS,
  ...PLUGIN,
  ...PROCESS,
];
