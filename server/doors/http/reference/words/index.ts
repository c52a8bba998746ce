import { ACCOUNTS } from "./accounts";
import { ARCHIVE } from "./archive";
import { AUDIT } from "./audit";
import { COMMON } from "./common";
import { DETECTIONS } from "./detections";
import { DEVICES } from "./devices";
import { FIELDS } from "./fields";
import { INTEGRITY } from "./integrity";
import { NOTIFICATIONS } from "./notifications";
import { ORGANIZATIONS } from "./organizations";
import { STREAMS } from "./streams";
import type { WordTable } from "./table";

/** Descriptions for every operation; of several matching tables, the longer path wins. */
export const WORD_TABLES: WordTable[] = [
  COMMON,
  ...AUDIT,
  ...INTEGRITY,
  ...DEVICES,
  ...ACCOUNTS,
  ...ORGANIZATIONS,
  ...NOTIFICATIONS,
  ...STREAMS,
  ...ARCHIVE,
  ...DETECTIONS,
  ...FIELDS,
];
