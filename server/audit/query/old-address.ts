import { GUID } from "@/server/ground/text";
import { excludableIn, FILTERS } from "./catalogue";
import { splitValues } from "./values";

/** Former names of the address's parameters, before they took the names of the wire. */
const RENAMED: Readonly<Record<string, string>> = { actor: "user", type: "actorType", org: "orgId" };

const EXCLUDABLE = excludableIn(FILTERS);

/** A part of the former `without`: "result:success", or an action. */
function fromWithout(part: string): [name: "exclude" | "excludeActions", value: string] {
  const at = part.indexOf(":");
  const field = part.slice(0, Math.max(at, 0));
  const name = RENAMED[field] ?? field;
  return EXCLUDABLE.includes(name) ? ["exclude", `${name}:${part.slice(at + 1)}`] : ["excludeActions", part];
}

/** The viewer's parameters of an old link or saved view under their present names; present ones stay as they are. */
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

/** The parameters of a page's address likewise: the organization is one of every page, the filters are the audit log's. */
export function presentSearch(pathname: string, params: URLSearchParams): URLSearchParams {
  if (pathname === "/") return presentParams(params);
  return new URLSearchParams([...params].map(([name, value]) => [name === "org" ? "orgId" : name, value]));
}
