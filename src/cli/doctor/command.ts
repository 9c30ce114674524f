import { Command, Option } from 'commander';
import { inScope, starting } from '../start.ts';
import type { DoctorFlags } from './doctor.ts';

export function doctorCommand(): Command {
  return inScope(new Command('doctor'))
    .description(
      'What is wrong with the installation, or keeps objects from being Ready, and the command that mends it. Exits 2 when something is wrong, and 1 when nothing is but a check could not be made.',
    )
    .option(
      '--operator-namespace <name>',
      'where your operator is; absent: all namespaces are looked at, or pipewright where that is forbidden, and an operator seen elsewhere gets no command',
    )
    .addOption(
      new Option('-o, --output <format>', 'how to print it')
        .choices(['text', 'json'])
        .default('text'),
    )
    .action(
      starting<DoctorFlags>(async (context, words, flags) => {
        const { doctor } = await import('./doctor.ts');
        return doctor(context, words, flags);
      }),
    );
}
