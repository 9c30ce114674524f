import { describeKills } from './crash-suite.ts';
import { ORGANIZATION_WORKLOADS } from './crash-workloads.ts';

for (const [title, workload] of Object.entries(ORGANIZATION_WORKLOADS))
  describeKills(title, workload);
