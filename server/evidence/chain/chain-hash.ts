import { hash } from "node:crypto";
import type { ChainRow } from "@/server/audit/row";
import { canonicalPayload } from "./chain";

/**
 * Expected checksum of a row, given its own prevChecksum and chainSeq (Node; a browser hashes the payload itself).
 * @param row one row as stored
 * @returns 64 lowercase hexadecimal digits
 */
export const checksumOf = (row: ChainRow): string => hash("sha256", canonicalPayload(row), "hex");
