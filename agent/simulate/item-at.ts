/** The item at an index; the index may run past the end and starts over there. @throws Error when there are no items */
export function itemAt<T>(items: readonly T[], index: number): T {
  const [item] = items.slice(Math.floor(index) % items.length);
  if (item === undefined) throw new Error("no items");
  return item;
}
