import { isHandler, METHODS, type RouteFile, type RouteHandler } from "@/server/doors/http/route";

export type RouteMatch = {
  /** Path as declared by its file, parameters by name. */
  path: string;
  handlers: Record<string, unknown>;
  params: Record<string, string | string[]>;
};

type Node = {
  children: Map<string, Node>;
  param?: { name: string; node: Node };
  rest?: { name: string; file: RouteFile };
  file?: RouteFile;
};
const emptyNode = (): Node => ({ children: new Map() });

function insert(root: Node, file: RouteFile): void {
  let node = root;
  for (const segment of file.path.split("/").filter(Boolean)) {
    const rest = /^\[\.\.\.(.+)\]$/.exec(segment)?.[1];
    if (rest) {
      node.rest = { name: rest, file };
      return;
    }
    const param = /^\[(.+)\]$/.exec(segment)?.[1];
    if (param) {
      node.param ??= { name: param, node: emptyNode() };
      if (node.param.name !== param)
        throw new Error(`Two names for one path parameter: ${param} and ${node.param.name}`);
      node = node.param.node;
    } else {
      const child = node.children.get(segment) ?? emptyNode();
      node.children.set(segment, child);
      node = child;
    }
  }
  node.file = file;
}

/** Segments of a path and its parameters. */
type Path = { parts: string[]; params: RouteMatch["params"] };

function walk(node: Node, path: Path, at: number): RouteFile | undefined {
  const { parts, params } = path;
  const part = parts[at];
  if (part === undefined) return node.file ?? node.rest?.file;
  const child = node.children.get(part);
  const exact = child && walk(child, path, at + 1);
  if (exact) return exact;
  const inner = node.param && walk(node.param.node, path, at + 1);
  if (node.param && inner) {
    params[node.param.name] = part;
    return inner;
  }
  if (!node.rest) return undefined;
  params[node.rest.name] = parts.slice(at);
  return node.rest.file;
}

/** Keeps an invalid escape as is: the route's validation refuses it by name. */
function decode(segment: string): string {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/**
 * Matches route files by Next's rules: a fixed segment before a parameter before a catch-all.
 * @returns for a path (no query) the file's exports and the decoded parameters, or undefined.
 */
export function createRegistry(files: RouteFile[]): (pathname: string) => RouteMatch | undefined {
  const root = emptyNode();
  for (const file of files) insert(root, file);
  return (pathname) => {
    const path: Path = { parts: pathname.split("/").filter(Boolean).map(decode), params: {} };
    const file = walk(root, path, 0);
    return file && { path: file.path, handlers: file.module, params: path.params };
  };
}

/** The handler for a method; HEAD is answered by GET. */
export function handlerOf(match: RouteMatch, method: string): RouteHandler | undefined {
  const name = method === "HEAD" ? "GET" : method;
  const handler = METHODS.some((known) => known === name) ? match.handlers[name] : undefined;
  return isHandler(handler) ? handler : undefined;
}
