// What is read of a vector that the ring repeats, as `workers/python/worker/copies.py` does it.

const FEWEST = 8; // copies of which one can be told to be far off
const FAR = 16; // times the middle distance from the median: no normal noise is that far off

/** The mean of the copies, each of `slots` numbers, without those that are far off all others. */
export function combined(values, slots) {
  const copies = values.length / slots;
  const found = new Float64Array(slots);
  const column = new Float64Array(copies);
  for (let slot = 0; slot < slots; slot++) {
    for (let i = 0; i < copies; i++) column[i] = values[i * slots + slot];
    found[slot] = meanOf(column);
  }
  return found;
}

function meanOf(copies) {
  const median = middle(copies);
  const offsets = copies.map((x) => x - median); // whose mean rounds less than that of the copies
  if (copies.length < FEWEST) return median + sum(offsets) / copies.length;
  const far = FAR * middle(offsets.map(Math.abs));
  const near = offsets.filter((x) => Math.abs(x) <= far);
  return median + sum(near) / near.length;
}

/** The median; of two in the middle the larger. */
function middle(values) {
  return values.slice().sort()[values.length >> 1];
}

function sum(values) {
  return values.reduce((total, x) => total + x, 0);
}
