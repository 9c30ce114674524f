import { describe, expect, test } from 'vitest';
import { aStore, thing } from './things.ts';

// `a5`: object "a" at version 5; `a'5`: another one of that name; `A5`: one in another namespace.
// What is told of each change, in order.
describe('the store', () => {
  test.each([
    ['takes a newer reply', 'list a5 @10, reply a12', 'list a5, event a12'],
    ['takes a reply of more digits', 'list a5 @10, reply a100', 'list a5, event a100'],
    ['takes no reply that is as old', 'list a5 @10, reply a5', 'list a5'],
    ['takes no older reply', 'list a5 @10, reply a4', 'list a5'],
    ['takes no reply of another object of that name', "list a5 @10, reply a'12", 'list a5'],
    ['takes no reply of what it has not', 'list a5 @10, reply b12', 'list a5'],
    ['revives nothing by a late reply', 'list a5 @10, deleted a12, reply a11', 'list a5, event a-'],
    ['tells of its own write once', 'list a5 @9, reply a11, modified a11', 'list a5, event a11'],
    ['takes no late event', 'list a5 @10, modified a4', 'list a5'],
    ['takes another object of a name', "list a5 @10, added a'3", "list a5, event a'3"],
    ['keeps that when the former goes', "list a5 @10, added a'7, deleted a6", "list a5, event a'7"],
    [
      'drops what leaves the selector',
      'list a5 @10, reply a12, deleted a11',
      'list a5, event a12, event a-',
    ],
    [
      'replaces all by a list, also what is newer',
      'list a900 b5 @901, list a7 d8 @20',
      'list a900, list b5, list a7, list d8, list b-',
    ],
    [
      'keeps what a reply brought since the list began',
      'list a5 b5 @10, begin, reply a21, end a5 b5 @20',
      'list a5, list b5, event a21, list b5',
    ],
    [
      'keeps also what the list has not',
      'list a5 @10, begin, reply a21, end @20',
      'list a5, event a21',
    ],
    [
      'keeps no reply that is older than the list',
      'list a5 @10, begin, reply a19, end @20',
      'list a5, event a19, list a-',
    ],
    [
      'keeps no reply from before the list',
      'list a5 @10, reply a21, list @20',
      'list a5, event a21, list a-',
    ],
    [
      'lets a list speak for its namespace alone',
      'list a5 A5 @10, list-ns @20',
      'list a5, list A5, list a-',
    ],
  ])('%s', (_what, script, expected) => {
    const { store, news } = aStore();
    let end: ReturnType<typeof store.beginList> = () => undefined;
    for (const step of script.split(', ')) {
      const [act, ...words] = step.split(' ');
      const version = words.at(-1)?.startsWith('@') ? words.pop()?.slice(1) : undefined;
      const objects = words.map((word) => thing(word));
      if (act !== 'end') end = act === 'list-ns' ? store.beginList('ns') : store.beginList();
      if (version !== undefined) end(objects, version);
      for (const object of act === 'reply' ? objects : []) store.put(object);
      if (act === 'added' || act === 'modified' || act === 'deleted')
        for (const object of objects) store.apply(TYPES[act], object);
    }
    expect(news.join(', ')).toBe(expected);
  });
});

const TYPES = { added: 'ADDED', modified: 'MODIFIED', deleted: 'DELETED' } as const;
