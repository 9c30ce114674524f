import { BUILD, runLoudly } from './steps.ts';

/**
 * Makes the operator and the plugin of kubectl in dist, each in one file with nothing to install
 * beside it, and shows what is in them.
 */
process.exitCode = (await runLoudly(BUILD.run)) ? 0 : 1;
