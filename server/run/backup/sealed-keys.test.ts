import { expect, it } from "vitest";
import { openKeys, sealKeys } from "./sealed-keys";

const PASSPHRASE = "a passphrase for the keys";
const opened = (name: string) => openKeys(sealKeys([{ name, content: "" }], PASSPHRASE), PASSPHRASE);

it("returns the keys of a data folder", () => {
  for (const name of ["nextauth-secret", "keys/checkpoint-ed25519.pem"]) expect(opened(name)[0]?.name).toBe(name);
});

it.each(["../outside", "keys/../../outside", "/etc/cron.d/x", "a\\..\\..\\b"])(
  "rejects a key path outside the data folder: %j",
  (name) => {
    expect(() => opened(name)).toThrow("cannot be opened");
  },
);
