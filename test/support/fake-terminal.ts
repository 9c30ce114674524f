import type { Terminal } from '../../src/cli/terminal.ts';

/** One that is no screen; all that is not told goes to `print`, without colours. */
export function fakeTerminal(own: Pick<Terminal, 'print'> & Partial<Terminal>): Terminal {
  const { print } = own;
  return {
    document: print,
    screen: (lines) => print(lines.join('\n')),
    tell: print,
    styled: (_style, text) => text,
    isScreen: false,
    columns: undefined,
    unread: new AbortController().signal,
    ...own,
  };
}
