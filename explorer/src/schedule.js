/** Many runs at once: in an order in which a picture of them is soon worth looking at, and as their results come. */

/** The order of `count` cells of a line: ends, middle, quarters, and so on. */
export function bisected(count) {
  if (count < 2) return count ? [0] : [];
  const order = [0, count - 1];
  const spans = [[0, count - 1]];
  while (spans.length) {
    const [low, high] = spans.shift();
    if (high - low < 2) continue;
    const middle = (low + high) >> 1;
    order.push(middle);
    spans.push([low, middle], [middle, high]);
  }
  return order;
}

/** The same of a grid: the corners first. Gives `[column, row]`. */
export function bisectedGrid(columns, rows) {
  const [across, up] = [bisected(columns), bisected(rows)];
  const rank = (order) => order.reduce((ranks, at, place) => ranks.set(at, place), new Map());
  const [first, second] = [rank(across), rank(up)];
  const cells = across.flatMap((column) => up.map((row) => [column, row]));
  return cells.sort((a, b) => Math.max(first.get(a[0]), second.get(a[1])) - Math.max(first.get(b[0]), second.get(b[1])));
}

/** Does `work` for each item of a list, in its order and so many at once, each worker with the next one in its queue. Stops
 * at the first that fails. */
export async function each(items, workers, work) {
  let next = 0;
  const lane = async () => {
    while (next < items.length) {
      next += 1;
      await work(items[next - 1]);
    }
  };
  await Promise.all(Array.from({ length: Math.min(workers + 1, items.length) }, lane));
}
