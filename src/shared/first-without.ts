/**
 * The first number from 0 for which it does not hold, of a property that holds for all numbers before one and for none
 * from there on. Asks some 2 log2(n) times: of 0, 1, 3, 7 and so on, and then by bisection.
 */
export async function firstWithout(holds: (nth: number) => Promise<boolean>): Promise<number> {
  let low = -1;
  let high = 0;
  while (await holds(high)) {
    low = high;
    high = 2 * high + 1;
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await holds(middle)) low = middle;
    else high = middle;
  }
  return high;
}
