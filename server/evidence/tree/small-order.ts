/**
 * The y-coordinates of Ed25519's points of small order, little-endian, also those written beyond the field's prime. Under
 * such a "key" signatures verify that no one made; libraries differ in whether they see it.
 */
const Y_OF_SMALL_ORDER = new Set([
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0100000000000000000000000000000000000000000000000000000000000000",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
]);

/** Whether 32 bytes are a point of small order, whose sign bit says nothing. */
export function isSmallOrder(publicKey: Uint8Array): boolean {
  const y = Array.from(publicKey, (byte, i) => (i === 31 ? byte & 0x7f : byte));
  return Y_OF_SMALL_ORDER.has(y.map((byte) => byte.toString(16).padStart(2, "0")).join(""));
}
