import { hash } from "node:crypto";
import type { ChainRow } from "@/server/audit/row";
import { canonicalPayload } from "./chain";

/**
 * What the checksum of a row must be, given its own prevChecksum and chainSeq (Node; a browser hashes the payload itself).
 * @param row one row as stored
 * @returns 64 lower-case hexadecimal digits
 */
export const checksumOf = (row: ChainRow): string => hash("sha256", canonicalPayload(row), "hex");
