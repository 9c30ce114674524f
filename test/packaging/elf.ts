import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** A program or library of 64 bits, least byte first. */
export interface Elf {
  readonly name: string;
  /** The number of the processor that it is for. */
  readonly machine: number;
  /** The libraries that it must have to start. */
  readonly needed: readonly string[];
}

const MAGIC = Buffer.from('\x7fELF');
const [LOAD, DYNAMIC] = [1, 2];
const [NEEDED, STRINGS] = [1, 5];

/** All of them below a folder. */
export async function elvesIn(folder: string): Promise<Elf[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const read = files.map(async ({ parentPath, name }) => readElf(join(parentPath, name)));
  return (await Promise.all(read)).filter((elf) => elf !== undefined);
}

async function readElf(path: string): Promise<Elf | undefined> {
  const bytes = await readFile(path);
  if (!bytes.subarray(0, 4).equals(MAGIC)) return undefined;
  return { name: basename(path), machine: bytes.readUInt16LE(18), needed: neededBy(bytes) };
}

function neededBy(bytes: Buffer): string[] {
  const number = (at: number): number => Number(bytes.readBigUInt64LE(at));
  const [first, size, count] = [number(32), bytes.readUInt16LE(54), bytes.readUInt16LE(56)];
  const segments = Array.from({ length: count }, (_, index) => {
    const at = first + index * size;
    const [offset, address, length] = [number(at + 8), number(at + 16), number(at + 32)];
    return { type: bytes.readUInt32LE(at), offset, address, length };
  });
  const dynamic = segments.find(({ type }) => type === DYNAMIC);
  if (!dynamic) return [];
  const entries = Array.from({ length: dynamic.length / 16 }, (_, index) => {
    const at = dynamic.offset + index * 16;
    return { tag: number(at), value: number(at + 8) };
  });
  const address = entries.find(({ tag }) => tag === STRINGS)?.value ?? 0;
  const loaded = segments.find(
    (one) => one.type === LOAD && one.address <= address && address < one.address + one.length,
  );
  if (!loaded) throw new Error('its strings are in no segment');
  const strings = address - loaded.address + loaded.offset;
  return entries
    .filter(({ tag }) => tag === NEEDED)
    .map(({ value }) => {
      const start = strings + value;
      return bytes.toString('latin1', start, bytes.indexOf(0, start));
    });
}
