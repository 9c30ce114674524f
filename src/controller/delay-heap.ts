interface Entry {
  readonly key: string;
  readonly due: number;
}

/**
 * A time for each key, soonest first. `set` keeps the earlier of two times; all operations are
 * O(log n).
 */
export class DelayHeap {
  readonly #due = new Map<string, number>();
  /** A binary heap by `due`. An entry whose time is no longer its key's is stale and skipped. */
  #heap: Entry[] = [];

  set(key: string, due: number): void {
    const current = this.#due.get(key);
    if (current !== undefined && current <= due) return;
    this.#due.set(key, due);
    this.#push({ key, due });
  }

  delete(key: string): void {
    if (!this.#due.delete(key)) return;
    if (this.#heap.length > 64 && this.#heap.length > 4 * this.#due.size) this.#compact();
  }

  earliest(): number | undefined {
    for (let top = this.#heap[0]; top; top = this.#heap[0]) {
      if (this.#due.get(top.key) === top.due) return top.due;
      this.#pop();
    }
    return undefined;
  }

  /** Removes and returns the keys whose time has come, soonest first. */
  takeDue(now: number): string[] {
    const keys: string[] = [];
    for (let due = this.earliest(); due !== undefined && due <= now; due = this.earliest()) {
      const entry = this.#pop();
      if (!entry) break;
      this.#due.delete(entry.key);
      keys.push(entry.key);
    }
    return keys;
  }

  /** A sorted array is a valid heap. */
  #compact(): void {
    this.#heap = [...this.#due].map(([key, due]) => ({ key, due })).sort((a, b) => a.due - b.due);
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let index = heap.length;
    heap.push(entry);
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = heap[parentIndex];
      if (!parent || parent.due <= entry.due) break;
      heap[index] = parent;
      index = parentIndex;
    }
    heap[index] = entry;
  }

  #pop(): Entry | undefined {
    const heap = this.#heap;
    const top = heap[0];
    const last = heap.pop();
    if (heap.length === 0 || !last) return top;
    let index = 0;
    for (;;) {
      const left = heap[2 * index + 1];
      const right = heap[2 * index + 2];
      const child = right && left && right.due < left.due ? 2 * index + 2 : 2 * index + 1;
      const next = heap[child];
      if (!next || next.due >= last.due) break;
      heap[index] = next;
      index = child;
    }
    heap[index] = last;
    return top;
  }
}
