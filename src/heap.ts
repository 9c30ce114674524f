import { setFlagsFromString } from 'node:v8';

// Bursts, such as the first list, would let V8 grow the space for new objects to many times what a pass needs, and it is
// not given back at rest: a quarter to a third of the memory of a process with thousands of objects.
setFlagsFromString('--semi-space-growth-factor=1');
