/**
 * Which project of vitest runs which test files, by what they need: nothing; etcd, kube-apiserver
 * and kubectl; besides these, programs that take minutes to build; or minutes.
 */
export const FILES = {
  unit: 'test/unit/**/*.test.ts',
  tables: 'test/tables/**/*.test.ts',
  cluster: 'test/cluster/**/*.test.ts',
  integration: 'test/integration/**/*.test.ts',
  planted: 'test/simulation/**/*.test.ts',
  packaging: 'test/packaging/**/*.test.ts',
} as const;

/** Take longer than their size tells: begun late, they are what all others wait for. */
export const LONG: readonly string[] = [
  'test/cluster/rest.test.ts',
  'test/cluster/outage.test.ts',
  'test/cluster/leader.test.ts',
  'test/cluster/crash.test.ts',
  'test/cluster/tenants.test.ts',
  'test/integration/guide-backup.test.ts',
  'test/packaging/guide-install.test.ts',
  'test/packaging/guide-tenancy.test.ts',
  'test/packaging/guide-readme.test.ts',
];
