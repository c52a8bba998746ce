import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  consistencyProof,
  decompose,
  emptyRoot,
  inclusionProof,
  leafHash,
  type NodeId,
  nodeHash,
  nodesRead,
  rootOf,
  TreeFold,
  verifyConsistency,
  verifyInclusion,
} from "./tree";

const sha256 = (bytes: Uint8Array): Uint8Array => createHash("sha256").update(bytes).digest();
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const checksum = (seq: number): Uint8Array => createHash("sha256").update(`trailmark row ${seq}`).digest();

const LEAVES = Array.from({ length: 300 }, (_, i) => leafHash(sha256, checksum(i + 1)));

const splitOf = (leaves: number): number => 2 ** (Math.ceil(Math.log2(leaves)) - 1);
const roots = new Map<string, Uint8Array>();

/** RFC 6962's recursive definitions over the leaves begin … end − 1: what the implementation is held against. */
const reference = {
  root(begin: number, end: number): Uint8Array {
    if (end - begin <= 1) return begin === end ? sha256(new Uint8Array()) : (LEAVES[begin] as Uint8Array);
    const key = `${begin}-${end}`;
    const k = begin + splitOf(end - begin);
    const root = roots.get(key) ?? nodeHash(sha256, reference.root(begin, k), reference.root(k, end));
    roots.set(key, root);
    return root;
  },
  path(index: number, begin: number, end: number): Uint8Array[] {
    if (end - begin <= 1) return [];
    const k = begin + splitOf(end - begin);
    return index < k
      ? [...reference.path(index, begin, k), reference.root(k, end)]
      : [...reference.path(index, k, end), reference.root(begin, k)];
  },
  subproof(older: number, begin: number, end: number): Uint8Array[] {
    if (older === end) return begin === 0 ? [] : [reference.root(begin, end)];
    const k = begin + splitOf(end - begin);
    return older <= k
      ? [...reference.subproof(older, begin, k), reference.root(k, end)]
      : [...reference.subproof(older, k, end), reference.root(begin, k)];
  },
};

const node = ({ height, index }: NodeId): Uint8Array => reference.root(index * 2 ** height, (index + 1) * 2 ** height);
const TREE = { sha256, node };
const text = (proof: readonly Uint8Array[]): string => proof.map(hex).join(" ");

const V = {
  l1: "817b8c201acfb98f35e776421eff14b348ad83b3f9d7fd24740c26dce6b97612",
  l2: "2c1204b2b5a9a1fb7b8c6198b2a269522d8589c2f21ffa24d0526adff9dc97e8",
  l3: "1157c9524eb9b5c6a9997609dd22b865c1e3da99e2f2845691d114ca5e5a409b",
  l4: "0ed55fe82d56abe973ed1fcf3ae05b605aa74fd49a8dcbb72025d9a72b7a8198",
  l5: "3099650f831ae7ef7616d17b0d511fd037ff2cebe3b0a389234233cb3af143a7",
  l6: "5bf966281b8f5d578751bd08529748af12f6a701f3627978e4d269e3eeb0bf09",
  l7: "dd921c6dc582274085930e6c91a12cf7f34ed9deeb4ee3202e0d3f86f921c640",
  r0: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  r2: "1dec4f4aef86f3f91062cd6bf0a3ef9a0ff7a306af5a0a775fccaa087ed92567",
  r3: "5d9c4b785e5c9b254bfb9872c8e2b2a466268271d4e9a83081a7c977108a1ed4",
  r4: "84dd91f152b6be9598748b93e8c6f7b5a1c6f479239a9d9f916d7a0ad43ea0da",
  r5: "a8448e0646e3285315813b50a679ade7c68538035bca1f7ab9caa0bc329ec4ca",
  r6: "16ab2ed2ee1119da6a316bda55da0c2e5877f3ca2276290e64d534f7a4ea5dbe",
  r7: "04d826c7f4e25858f7c6e82320f41d51dbb05f554d9feb9f4bc27857d004c1bc",
  n34: "cc78357a6c42c577e3aa716e1c25c2d52cdbf2e55245ef328ea047dd9d3de871",
  n56: "6fc7792e3186831647a10c0dbf7f3fcd4f7dd58b87f2638683eb15b65ac5080e",
  n57: "eef3a6dda4e0cce95636d6b96bc9b0d1affd25ab9541402cf4b481cbdc186115",
};
const named = { ...V, n12: V.r2, n14: V.r4 } as Record<string, string>;
const hashes = (names: string): string[] => names.split(" ").map((name) => named[name] as string);

describe("published tree vectors", () => {
  it("match leaves and roots", () => {
    expect(LEAVES.slice(0, 7).map(hex)).toEqual([V.l1, V.l2, V.l3, V.l4, V.l5, V.l6, V.l7]);
    const roots = [0, 1, 2, 3, 4, 5, 6, 7].map((size) => hex(rootOf(TREE, 0, size)));
    expect(roots).toEqual([V.r0, V.l1, V.r2, V.r3, V.r4, V.r5, V.r6, V.r7]);
    expect(hex(leafHash(sha256, new Uint8Array(32)))).toBe(
      "7f9c9e31ac8256ca2f258583df262dbc7d6f68f2a03043d5c99a4ae5a7396ce9",
    );
    const zeros = new TreeFold(sha256);
    for (let i = 0; i < 256; i++) zeros.push(0, leafHash(sha256, new Uint8Array(32)));
    expect(hex(zeros.root())).toBe("f76add9d82489f11e3532ba85dfc66dd01d468651a686046c7534d18c5ae4fc8");
  });

  it.each([
    [0, "l2 n34 n57"],
    [1, "l1 n34 n57"],
    [2, "l4 n12 n57"],
    [3, "l3 n12 n57"],
    [4, "l6 l7 n14"],
    [5, "l5 l7 n14"],
    [6, "n56 n14"],
  ])("include leaf %i in the tree of 7 by %s", (index, path) => {
    expect(inclusionProof(TREE, index, 7).map(hex)).toEqual(hashes(path));
  });

  it.each([
    [1, "l2 n34 n57"],
    [2, "n34 n57"],
    [3, "l3 l4 n12 n57"],
    [4, "n57"],
    [5, "l5 l6 l7 n14"],
    [6, "n56 l7 n14"],
  ])("extend the tree of %i to 7 by %s", (older, proof) => {
    expect(consistencyProof(TREE, older, 7).map(hex)).toEqual(hashes(proof));
  });
});

describe("every tree of up to 300 leaves", () => {
  const ROOTS = Array.from({ length: 301 }, (_, size) => rootOf(TREE, 0, size));

  it("has the RFC 6962 root, folded by leaf or by subtree", () => {
    const fold = new TreeFold(sha256);
    for (let size = 0; size <= 300; size++) {
      expect(hex(ROOTS[size] as Uint8Array)).toBe(hex(reference.root(0, size)));
      expect(hex(fold.root())).toBe(hex(ROOTS[size] as Uint8Array));
      if (size < 300) fold.push(0, LEAVES[size] as Uint8Array);
    }
    const skipping = new TreeFold(sha256);
    skipping.push(0, LEAVES[0] as Uint8Array);
    for (const id of decompose(1, 200)) skipping.push(id.height, node(id));
    for (let i = 200; i < 300; i++) skipping.push(0, LEAVES[i] as Uint8Array);
    expect([skipping.size, hex(skipping.root())]).toEqual([300, hex(ROOTS[300] as Uint8Array)]);
  });

  it("proves each of its leaves by the RFC 6962 path, and no other leaf", () => {
    const wrong: string[] = [];
    for (let size = 1; size <= 300; size += size < 40 ? 1 : 37)
      for (let index = 0; index < size; index++) {
        const [root, leaf] = [ROOTS[size] as Uint8Array, LEAVES[index] as Uint8Array];
        const path = inclusionProof(TREE, index, size);
        const holds = (change: Partial<Parameters<typeof verifyInclusion>[1]>) =>
          verifyInclusion(sha256, { index, size, leaf, path, root, ...change });
        const other = LEAVES[(index + 1) % 300] as Uint8Array;
        const sound =
          text(path) === text(reference.path(index, 0, size)) &&
          holds({}) &&
          !holds({ leaf: other }) &&
          !holds({ index: size }) &&
          !holds({ path: [...path, other] }) &&
          (path.length === 0 || !holds({ path: path.slice(1) }));
        if (!sound) wrong.push(`leaf ${index} of ${size}`);
      }
    expect(wrong).toEqual([]);
  });

  it("is proven to extend each smaller tree, and no other root", () => {
    const wrong: string[] = [];
    for (let size = 0; size <= 300; size += size < 40 ? 1 : 37)
      for (let older = 0; older <= size; older++) {
        const [olderRoot, root] = [ROOTS[older] as Uint8Array, ROOTS[size] as Uint8Array];
        const proof = consistencyProof(TREE, older, size);
        const holds = (change: Partial<Parameters<typeof verifyConsistency>[1]>) =>
          verifyConsistency(sha256, { older, size, olderRoot, root, proof, ...change });
        const other = sha256(olderRoot);
        const sound =
          (older === 0 || text(proof) === text(reference.subproof(older, 0, size))) &&
          holds({}) &&
          !holds({ olderRoot: other }) &&
          !holds({ proof: [...proof, other] }) &&
          (proof.length === 0 || !holds({ proof: proof.slice(1) }));
        if (!sound) wrong.push(`${older} of ${size}`);
      }
    expect(wrong).toEqual([]);
  });

  it("lists the nodes of a proof before reading them", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), fc.nat(), (size, at) => {
        const index = at % size;
        const ids = nodesRead((tree) => inclusionProof(tree, index, size));
        const held = new Map(ids.map((id) => [`${id.height}/${id.index}`, node(id)]));
        const read = ({ height, index: i }: NodeId) => held.get(`${height}/${i}`) as Uint8Array;
        const path = inclusionProof({ sha256, node: read }, index, size);
        expect(path.map(hex)).toEqual(inclusionProof(TREE, index, size).map(hex));
      }),
    );
  });
});

it("rejects a path with any single altered hash", () => {
  const root = rootOf(TREE, 0, 300);
  fc.assert(
    fc.property(fc.nat({ max: 299 }), fc.nat(), fc.nat({ max: 255 }), (index, place, bit) => {
      const path = inclusionProof(TREE, index, 300).map((hash) => Uint8Array.from(hash));
      const hash = path[place % path.length] as Uint8Array;
      hash[bit >> 3] = (hash[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(verifyInclusion(sha256, { index, size: 300, leaf: LEAVES[index] as Uint8Array, path, root })).toBe(false);
    }),
  );
});

it("handles tree sizes beyond 32 bits", () => {
  const size = 2 ** 40 + 3;
  const blank = (): Uint8Array => new Uint8Array(32);
  const path = inclusionProof({ sha256, node: blank }, 2 ** 40 + 1, size);
  expect(path).toHaveLength(3);
  expect(decompose(2 ** 40 - 1, size)).toEqual([
    { height: 0, index: 2 ** 40 - 1 },
    { height: 1, index: 2 ** 39 },
    { height: 0, index: 2 ** 40 + 2 },
  ]);
  expect(hex(emptyRoot(sha256))).toBe(V.r0);
});
