import { randomUUID } from "node:crypto";
import { holdsInTime } from "@/bench/until";
import type { Server } from "@/testing/server";
import { type Credentials, json, prepare } from "./api";
import { withServer } from "./folder";
import type { Line } from "./line";
import { send } from "./request";

/** S2: addresses that a client claims, and the address that must be stored with and without trust in proxy headers. */

type Mix = { headers: Record<string, string | string[]>; trusted: string };
const SOCKET = "127.0.0.1";
const mix = (trusted: string, headers: Mix["headers"]): Mix => ({ trusted, headers });
const cf = (value: string) => ({ "cf-connecting-ip": value });
const xff = (value: string | string[]) => ({ "x-forwarded-for": value });
const real = (value: string) => ({ "x-real-ip": value });

const MIXES: Mix[] = [
  mix(SOCKET, {}),
  mix("203.0.113.1", cf("203.0.113.1")),
  mix("203.0.113.2", xff("203.0.113.2")),
  mix("203.0.113.3", real("203.0.113.3")),
  mix("203.0.113.1", { ...cf("203.0.113.1"), ...xff("203.0.113.2"), ...real("203.0.113.3") }),
  mix("203.0.113.2", { ...xff("203.0.113.2"), ...real("203.0.113.3") }),
  mix("203.0.113.1", { ...real("203.0.113.3"), ...cf("203.0.113.1") }),
  mix("203.0.113.2", { ...cf("unknown"), ...xff("203.0.113.2") }),
  mix("203.0.113.3", { ...cf(""), ...xff("garbage"), ...real("203.0.113.3") }),
  mix(SOCKET, { ...cf("x"), ...xff("y"), ...real("z") }),
  mix("198.51.100.1", xff("198.51.100.1, 10.0.0.1, 10.0.0.2")),
  mix("10.0.0.1", xff("unknown, 10.0.0.1")),
  mix("10.0.0.1", xff(" , ,10.0.0.1")),
  mix("198.51.100.7", xff(["198.51.100.7", "198.51.100.8"])),
  mix("198.51.100.8", xff(["nonsense", "198.51.100.8"])),
  mix("198.51.100.9", xff("198.51.100.9:51234")),
  mix("2001:db8::1", xff("[2001:db8::1]:443")),
  mix("2001:db8::2", xff("2001:db8::2")),
  mix("2001:db8::3", cf("2001:0DB8:0000:0000:0000:0000:0000:0003")),
  mix("192.0.2.33", cf("::ffff:192.0.2.33")),
  mix("192.0.2.34", xff("::ffff:c000:222")),
  mix("fe80::1", real("fe80::1%eth0")),
  mix("203.0.113.9", { ...cf("0x7f000001"), ...real("203.0.113.9") }),
  mix("203.0.113.9", { ...cf("2130706433"), ...real("203.0.113.9") }),
  mix("203.0.113.9", { ...cf("127.1"), ...real("203.0.113.9") }),
  mix("203.0.113.9", { ...cf("256.1.1.1"), ...real("203.0.113.9") }),
  mix("203.0.113.9", { ...cf("1.2.3"), ...real("203.0.113.9") }),
  mix("203.0.113.9", { ...cf("1.2.3.4.5"), ...real("203.0.113.9") }),
  mix("203.0.113.9", { ...cf("for=1.2.3.4"), ...real("203.0.113.9") }),
  mix("203.0.113.9", { ...cf("' OR 1=1 --"), ...real("203.0.113.9") }),
  mix("203.0.113.9", { ...cf("<script>"), ...real("203.0.113.9") }),
  mix("203.0.113.9", { ...cf("9".repeat(2000)), ...real("203.0.113.9") }),
  mix("203.0.113.9", { ...cf(":::1"), ...real("203.0.113.9") }),
  mix(SOCKET, { forwarded: "for=203.0.113.20", "x-client-ip": "203.0.113.21", "true-client-ip": "203.0.113.22" }),
  mix(SOCKET, { "x-trailmark-peer": "203.0.113.23" }),
  mix("203.0.113.24", { "x-trailmark-peer": "203.0.113.23", ...xff("203.0.113.24") }),
  mix("10.1.2.3", { "X-FORWARDED-FOR": "10.1.2.3" }),
  mix("203.0.113.25", cf("  203.0.113.25\t")),
  mix("127.0.0.1", xff("127.0.0.1, 203.0.113.26")),
  mix("::1", real("::1")),
];

/** An audited request. */
async function createKey(base: string, { accessToken, orgId }: Credentials, more: Mix["headers"]): Promise<number> {
  const headers = { "Content-Type": "application/json", Authorization: `Bearer ${accessToken}`, ...more };
  const sent = { headers, body: JSON.stringify({ orgId }) };
  return (await send(`${base}/api/v1/enrollment-keys`, sent)).status;
}

type Entry = { userAgent: string; ipAddress: string };

/** Stored address of each audited request, by user agent. */
async function storedAddresses(server: Server, { orgId, accessToken }: Credentials): Promise<Map<string, string>> {
  const query = new URLSearchParams({ orgId, action: "enrollment_key.create", limit: "100" });
  const found = new Map<string, string>();
  const isWhole = async () => {
    const { data } = await json<{ data: Entry[] }>(server, `/audit-logs/logs?${query}`, { token: accessToken });
    for (const entry of data) if (entry.userAgent.startsWith("mix ")) found.set(entry.userAgent, entry.ipAddress);
    return found.size >= MIXES.length;
  };
  await holdsInTime(isWhole, { ms: 30_000 });
  return found;
}

/** @param trust the setting that is expected of the server; `does`: the one that it has instead */
const wrongWith = (trust: boolean, does = trust) =>
  withServer(
    async (server) => {
      const credentials = await prepare(server);
      const name = (at: number) => `mix ${at} ${run}`;
      const run = randomUUID().slice(0, 8);
      const wrong: string[] = [];
      for (const [at, { headers }] of MIXES.entries()) {
        const sent = { ...headers, "User-Agent": name(at) };
        const status = await createKey(server.base, credentials, sent);
        if (status !== 201) wrong.push(`mix ${at}: status ${status}`);
      }
      const stored = await storedAddresses(server, credentials);
      for (const [at, { trusted }] of MIXES.entries()) {
        const right = trust ? trusted : SOCKET;
        const got = stored.get(name(at));
        if (got !== right) wrong.push(`mix ${at} (${trust ? "trusting" : "not trusting"}): ${got} instead of ${right}`);
      }
      return wrong;
    },
    { TRUST_PROXY_HEADERS: String(does) },
  );

export const proxyHeaders: Line = {
  id: "S2",
  title: "proxy headers, with and without trust: the stored address",
  ...{ quick: 1, full: 1 },
  async run(_, found) {
    found.faults([...(await wrongWith(false)), ...(await wrongWith(true))]);
    found.tried = MIXES.length * 2;
    found.note(`${MIXES.length} mixes of headers, each with TRUST_PROXY_HEADERS off and on`);
    // Every mix with an address must be detected.
    const naming = MIXES.filter(({ trusted }) => trusted !== SOCKET).length;
    found.control("a server that always trusts", (await wrongWith(false, true)).length, naming);
  },
};
