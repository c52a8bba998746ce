import type { Bench } from "@/bench/harness";
import { agentBench } from "./agents";
import { costBench } from "./cost";
import { directBench } from "./direct";
import { exportBench } from "./export";
import { growthBench } from "./growth";
import { importBench } from "./import";
import { indexingBench } from "./indexing";
import { ingestBench } from "./ingest";
import { keepPaceBench } from "./keep-pace";
import { listBench } from "./lists";
import { httpListBench } from "./lists-http";
import { pruneBench } from "./prune";
import { reportBench } from "./reports";
import { ruleBench } from "./rules";
import { searchBench } from "./search";
import { storageBench } from "./storage";
import { streamBench } from "./streams";
import { treeBench } from "./tree";
import { verifyBench } from "./verify";
import { viewerBench } from "./viewer";

/** In order of execution: writing before the long history, removing last. */
export const benches: Bench[] = [
  ingestBench,
  directBench,
  indexingBench,
  keepPaceBench,
  listBench,
  httpListBench,
  searchBench,
  reportBench,
  exportBench,
  verifyBench,
  treeBench,
  storageBench,
  growthBench,
  agentBench,
  costBench,
  viewerBench,
  importBench,
  streamBench,
  ruleBench,
  pruneBench,
];
