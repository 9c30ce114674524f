import type { Terminal } from '../terminal.ts';
import { counted } from '../words.ts';
import { CHECKS, type Report } from './report.ts';

/** Findings first, then what could not be looked at, then what is well. */
export function printReport(report: Report, terminal: Terminal, output: 'text' | 'json'): void {
  const { findings, notChecked } = report.sorted();
  const { checked } = report;
  if (output === 'json') {
    terminal.document(JSON.stringify({ findings, checked, notChecked }, undefined, 2));
    return;
  }
  for (const { check, object, says, command } of findings) {
    const head = terminal.styled('red', `Wrong: ${check}`);
    terminal.print(object === undefined ? head : `${head} (${object})`);
    terminal.print(`  ${says}`);
    if (command !== undefined) terminal.print(`  ${terminal.styled('bold', command)}`);
    terminal.print('');
  }
  for (const [says, same] of Map.groupBy(notChecked, (one) => one.says)) {
    const checks = same.map(({ check }) => check).join(', ');
    terminal.print(terminal.styled('yellow', `Not checked: ${checks}`));
    terminal.print(`  ${says}`);
    terminal.print('');
  }
  const found = new Set(findings.map(({ check }) => check));
  const well = checked.filter((check) => !found.has(check));
  for (const check of well)
    terminal.print(`${terminal.styled('green', 'Fine:')} ${check}, ${CHECKS[check]}`);
  if (well.length > 0) terminal.print('');
  const count = counted(findings.length, 'finding');
  terminal.print(findings.length === 0 ? 'Nothing wrong was found.' : `${count}.`);
}
