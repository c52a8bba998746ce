import { GUID } from "@/server/ground/text";
import { EXCLUDABLE } from "./catalogue";
import { splitValues } from "./values";

/** Address parameters renamed to match the wire. */
const RENAMED: Readonly<Record<string, string>> = { actor: "user", type: "actorType", org: "orgId" };

/** Parses a part of the former `without`: "result:success", or an action. */
function fromWithout(part: string): [name: "exclude" | "excludeActions", value: string] {
  const at = part.indexOf(":");
  const field = part.slice(0, Math.max(at, 0));
  const name = RENAMED[field] ?? field;
  return EXCLUDABLE.includes(name) ? ["exclude", `${name}:${part.slice(at + 1)}`] : ["excludeActions", part];
}

/** Renames the parameters of an old link or saved view; current ones stay. */
export function presentParams(params: URLSearchParams): URLSearchParams {
  const present = new URLSearchParams();
  for (const [name, value] of params) {
    if (name === "without")
      for (const part of value.split(",").filter(Boolean)) {
        const [list, item] = fromWithout(part);
        present.set(list, [present.get(list), item].filter(Boolean).join(","));
      }
    else if (name === "actorId" && !splitValues(value).some((id) => GUID.test(id))) present.append("rawActorId", value);
    else present.append(RENAMED[name] ?? name, value);
  }
  return present;
}

/** Renames the parameters of a page's address: the organization on every page, filters on the audit log only. */
export function presentSearch(pathname: string, params: URLSearchParams): URLSearchParams {
  if (pathname === "/") return presentParams(params);
  return new URLSearchParams([...params].map(([name, value]) => [name === "org" ? "orgId" : name, value]));
}
