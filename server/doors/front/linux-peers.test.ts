import { expect, it } from "vitest";
import { procAddress, unanswered } from "./linux-peers";

it("reads the kernel's connection table", () => {
  expect(procAddress("127.0.0.1", 3200)).toBe("0100007F:0C80");
  expect(procAddress("::ffff:10.0.0.2", 80)).toBe("0000000000000000FFFF00000200000A:0050");
  expect(procAddress("fe80::1%eth0", 65535)).toBe("000080FE000000000000000001000000:FFFF");
  const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:0C80 0200000A:D431 01 00000012:00000000 01:00000014 00000005     0        0 208146 1 00000000b2ce2aee 100 0 0 10 0
   1: 0100007F:0C80 0300000A:D432 01 00000012:00000000 01:00000014 00000000     0        0 208147 1 00000000b2ce2aef 100 0 0 10 0
`;
  expect(unanswered(table)).toEqual(["0C80 0200000A:D431"]);
});
