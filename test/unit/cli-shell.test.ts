import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { createShell } from '../../src/cli/shell.ts';
import { shell } from '../support/doctor.ts';

test('the shell reads every word as it was meant, and puts in the variables', () => {
  const plain = ['a b', "it's", '$HOME', '`id`', '"', '{a,b}', '!x', '*', '', 'k="$V"', 'ü', '-n'];
  const words = [...plain, { before: 'k=', variable: 'V' }, { before: 'a b=', variable: 'V' }];
  const [, ...quoted] = [shell.kubectl(...words)].flatMap(
    (text) => /^kubectl (.*)$/s.exec(text) ?? [],
  );
  const script = `set -- ${quoted.join(' ')}; for one in "$@"; do printf '%s\\n' "$one"; done`;
  const said = execFileSync('sh', ['-c', script], { env: { V: 'a "value"' }, encoding: 'utf8' });
  expect(said.split('\n').slice(0, -1)).toEqual([...plain, 'k=a "value"', 'a b=a "value"']);
});

test('commands are for the cluster that the command was told to look at', () => {
  const there = createShell({ kubeconfig: 'my file', context: 'prod' });
  expect(there.kubectl('get', 'pods')).toBe(
    "kubectl '--kubeconfig=my file' --context=prod get pods",
  );
  expect(there.plugin('retry')).toBe(
    "kubectl pipewright retry '--kubeconfig=my file' --context=prod",
  );
  expect(there.helm('list')).toBe("helm '--kubeconfig=my file' --kube-context=prod list");
});
