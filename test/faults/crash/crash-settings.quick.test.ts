import { describeKills } from './crash-suite.ts';
import { SETTINGS_WORKLOADS } from './crash-workloads.ts';

const title = 'a new PipeSettings';
describeKills(title, SETTINGS_WORKLOADS[title]);
